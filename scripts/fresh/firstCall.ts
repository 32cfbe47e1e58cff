// The second half of the README's first command, and its first call, on the machine it runs on: starts the service by
// `npm start`, sends the call that the service prints and the README's, and stops the service.
import { spawn } from "node:child_process";
import { once } from "node:events";

const service = spawn("npm", ["start"], {
  // The usual ports may be taken on the machine around this one.
  env: { ...process.env, PORT: "0", PETSTORE_METRICS_PORT: "off" },
  stdio: ["ignore", "pipe", "inherit"],
});
const ended = once(service, "close");

let printed = "";
let line: RegExpExecArray | null = null;
for await (const chunk of service.stdout.setEncoding("utf8")) {
  printed += chunk;
  line = /curl -H "(Authorization): (Bearer \w+)" (http\S+)\n/.exec(printed);
  if (line !== null) break;
}
if (line === null) throw new Error(`npm start printed no call to try, but:\n${printed}`);

const [, name = "", value = "", url = ""] = line;
const headers = { [name]: value, "Content-Type": "application/json" };
const body = JSON.stringify({ name: "Bella", categoryId: 3 });
const texts: string[] = [];
for (const request of [{ headers }, { method: "POST", headers, body }, { headers }]) {
  const response = await fetch(url, request);
  texts.push(`${response.status} ${await response.text()}`);
}
const bella = '{"id":1,"name":"Bella","categoryId":3,"status":"available"}';
const expected = ["200 []", `201 ${bella}`, `200 [${bella}]`];
if (texts.join("\n") !== expected.join("\n"))
  throw new Error(`Expected:\n${expected.join("\n")}\nReceived:\n${texts.join("\n")}`);

service.kill("SIGTERM");
const [code, signal] = await ended;
if (code !== 0) throw new Error(`npm start ended with ${code ?? signal}, and not with 0.`);
