/** Redocly: the workflows of openapi/petstore.arazzo.yaml, step by step, against the live service. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { operationsOf, readContract } from "./contract.ts";
import { type Counted, root, run, scratch } from "./run.ts";
import type { Live } from "./service.ts";

const file = "openapi/petstore.arazzo.yaml";
const bodyShownLengthMax = 500;

interface WalkedStep {
  readonly stepId: string;
  readonly workflowId: string;
  readonly status: string;
  readonly request?: { readonly method: string; readonly url: string };
  readonly response?: { readonly statusCode: number; readonly body: unknown };
  readonly checks: readonly {
    readonly name: string;
    readonly passed: boolean;
    readonly condition?: string;
  }[];
}

interface Walked {
  readonly files: Readonly<
    Record<string, { executedWorkflows: readonly { executedSteps: readonly WalkedStep[] }[] }>
  >;
}

interface Workflows {
  readonly workflows: readonly {
    readonly workflowId: string;
    readonly steps: readonly { readonly stepId: string; readonly operationId: string }[];
  }[];
}

export async function runWorkflows(live: Live): Promise<Counted> {
  const report = join(scratch, "workflows.json");
  const inputs = {
    apiKey: live.key,
    readerKey: live.readerKey,
    cursor: await cursorAfterTwo(live),
  };
  const { code, text } = await run("redocly", ["respect", file, "--json-output", report], root, {
    REDOCLY_CLI_RESPECT_SERVER: `petstore=${live.base}`,
    REDOCLY_CLI_RESPECT_INPUT: Object.entries(inputs)
      .map(([name, value]) => `${name}=${value}`)
      .join(","),
    REDOCLY_SUPPRESS_UPDATE_NOTICE: "true",
  });
  if (!existsSync(report)) throw new Error(`Redocly ended with ${code} and no report:\n${text}`);
  const walked = JSON.parse(readFileSync(report, "utf8")) as Walked;
  const steps = Object.values(walked.files).flatMap(({ executedWorkflows }) =>
    executedWorkflows.flatMap(({ executedSteps }) => executedSteps),
  );
  const planned = parse(readFileSync(join(root, file), "utf8")) as Workflows;
  const counted = countSteps(planned, steps);
  counted.failed += countUncovered(planned, steps);
  if (code !== 0 && counted.failed === 0) throw new Error(`Redocly ended with ${code}:\n${text}`);
  return counted;
}

/** A step that was not reached, because one before it failed, has not passed. */
function countSteps({ workflows }: Workflows, steps: readonly WalkedStep[]): Counted {
  const total: Counted = { passed: 0, failed: 0 };
  for (const { workflowId, steps: planned } of workflows) {
    const walked = steps.filter((step) => step.workflowId === workflowId);
    const passed = walked.filter(({ status }) => status === "success").length;
    const checks = walked.flatMap((step) => step.checks).length;
    console.log(`  ${workflowId}: ${passed} of ${planned.length} steps passed, ${checks} checks`);
    total.passed += passed;
    total.failed += planned.length - passed;
  }
  for (const step of steps) if (step.status !== "success") tellFailure(step);
  return total;
}

/** How many operations no step brought to success, or none to a refusal. */
function countUncovered({ workflows }: Workflows, steps: readonly WalkedStep[]): number {
  let uncovered = 0;
  for (const { operationId } of operationsOf(readContract()).map(({ operation }) => operation)) {
    const statuses = workflows.flatMap(({ workflowId, steps: planned }) =>
      steps
        .filter((step) => step.workflowId === workflowId)
        .filter(({ stepId }) =>
          planned.some((plan) => plan.stepId === stepId && plan.operationId === operationId),
        )
        .map(({ response }) => response?.statusCode ?? 0),
    );
    const good = statuses.filter((status) => status >= 200 && status < 400).length;
    const refused = statuses.filter((status) => status >= 400).length;
    console.log(`  ${operationId}: ${good} good answers, ${refused} refusals`);
    uncovered += Number(good === 0) + Number(refused === 0);
  }
  return uncovered;
}

function tellFailure({ workflowId, stepId, request, response, checks }: WalkedStep): void {
  const answer = `${response?.statusCode} ${JSON.stringify(response?.body)?.slice(0, bodyShownLengthMax)}`;
  console.log(`  ${workflowId} / ${stepId}: ${request?.method} ${request?.url} answered ${answer}`);
  for (const { name, condition = "", passed } of checks) {
    if (!passed) console.log(`    failed: ${name} ${condition}`);
  }
}

/** The cursor in the Link header of a first page of two, which a workflow cannot cut out itself. */
async function cursorAfterTwo({ base, key }: Live): Promise<string> {
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${base}/pets?limit=2`, { headers });
  const cursor = /[?&]cursor=([^>&]+)>; rel="next"/.exec(response.headers.get("link") ?? "")?.[1];
  if (cursor === undefined)
    throw new Error(`GET /pets?limit=2 answered ${response.status} and no next page.`);
  return cursor;
}
