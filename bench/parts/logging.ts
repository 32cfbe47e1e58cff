/** What a line per request costs, ours and nginx's. */
import { nginx, nginxLogged } from "../contestants/nginx.ts";
import { ours, oursLogged } from "../contestants/ours.ts";
import { playRounds, ratioOf, summarise } from "../rounds.ts";
import { figure } from "../table.ts";
import { workTitles } from "../works.ts";
import type { Part } from "./part.ts";

const pairs = [
  { quiet: ours, logged: oursLogged },
  { quiet: nginx, logged: nginxLogged },
];
const works = oursLogged.works;

export const measureLogging: Part = async (arena, _contestants, options) => {
  const everyone = pairs.flatMap(({ quiet, logged }) => [quiet, logged]);
  const figures = await arena.during(everyone, (entries) => playRounds(entries, works, options));
  const summaries = summarise(figures);
  const rows = works.flatMap((work) =>
    pairs.flatMap(({ quiet, logged }) =>
      [quiet, logged].map(({ name, title }) => {
        const found = summaries.find((each) => each.work === work && each.contestant === name);
        return [
          workTitles[work],
          title,
          figure(found?.requestsPerSecond),
          figure(ratioOf(figures, work, name, quiet.name)),
          figure(ratioOf(figures, work, name, logged === nginxLogged ? name : "nginxLogged")),
          figure(found?.cpuUsPerRequest),
        ];
      }),
    ),
  );
  const ofLoggedNginx = ratioOf(figures, "getPet", "oursLogged", "nginxLogged");
  return {
    name: "logging",
    title: "With a log line for each request",
    method:
      "Everywhere else logs are off. Here ours writes its usual JSON lines to a file, and nginx its combined log through a buffer of 64 KB. Ours gives kept answers here.",
    columns: [
      "work",
      "contestant",
      "requests/s",
      "÷ without log",
      "÷ logged nginx",
      "CPU µs/request",
    ],
    rows,
    facts: ofLoggedNginx === undefined ? {} : { getPetOfLoggedNginx: ofLoggedNginx },
  };
};
