/** Redocly: the workflows of openapi/petstore.arazzo.yaml, step by step, against the live service. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import packageJson from "../../../package.json" with { type: "json" };
import { operationsOf, readContract } from "../contract.ts";
import { root, run, scratch } from "../run.ts";
import { type Live, onService } from "../service.ts";
import { type Failure, type Outcome, progress, type Suite } from "../suite.ts";

const file = "openapi/petstore.arazzo.yaml";
const bodyShownLengthMax = 500;

export const redocly: Suite = {
  name: "Redocly, workflows of petstore.arazzo.yaml",
  slug: "redocly",
  quick: true,
  run: () => onService(runWorkflows),
};

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

async function runWorkflows(live: Live): Promise<Outcome> {
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
  const failures = [...failedSteps(planned, steps), ...uncovered(planned, steps)];
  if (code !== 0 && failures.length === 0) throw new Error(`Redocly ended with ${code}:\n${text}`);
  const passed = steps.filter(({ status }) => status === "success").length;
  return { version: packageJson.devDependencies["@redocly/cli"], passed, failures };
}

/** A step that was not reached, because one before it failed, has not passed. */
function failedSteps({ workflows }: Workflows, steps: readonly WalkedStep[]): Failure[] {
  return workflows.flatMap(({ workflowId, steps: planned }) => {
    const walked = steps.filter((step) => step.workflowId === workflowId);
    const failures = planned.flatMap(({ stepId }): Failure[] => {
      const step = walked.find((own) => own.stepId === stepId);
      if (step?.status === "success") return [];
      const says = step === undefined ? "It was not reached." : whatFailed(step);
      return [{ id: `${workflowId} / ${stepId}`, says }];
    });
    const checks = walked.flatMap((step) => step.checks).length;
    const passed = planned.length - failures.length;
    progress(`${workflowId}: ${passed} of ${planned.length} steps passed, ${checks} checks`);
    return failures;
  });
}

/** The operations that no step brought to success, or none to a refusal. */
function uncovered({ workflows }: Workflows, steps: readonly WalkedStep[]): Failure[] {
  return operationsOf(readContract()).flatMap(({ operation: { operationId } }) => {
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
    progress(`${operationId}: ${good} good answers, ${refused} refusals`);
    if (good > 0 && refused > 0) return [];
    return [{ id: operationId, says: `${good} good answers, ${refused} refusals: one of each.` }];
  });
}

function whatFailed({ request, response, checks }: WalkedStep): string {
  const answer = `${response?.statusCode} ${JSON.stringify(response?.body)?.slice(0, bodyShownLengthMax)}`;
  const failed = checks
    .filter(({ passed }) => !passed)
    .map(({ name, condition = "" }) => `${name} ${condition}`);
  return `${request?.method} ${request?.url} answered ${answer}; failed: ${failed.join("; ")}`;
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
