/** The area where a folder is dropped or chosen, and the progress of its upload. */
import { useRef, useState } from "preact/hooks";
import type { FinishedDeployment } from "../../../contract/generated/platform.ts";
import { announce, notify } from "../announce.ts";
import { Button, Icon } from "../parts/buttons.tsx";
import { counted, size } from "../parts/format.tsx";
import { ErrorMessage, Notice } from "../parts/notice.tsx";
import { chosenFolder, droppedFolder, type Folder } from "./folder.ts";
import { type Progress, upload } from "./upload.ts";

type State =
  | { readonly kind: "idle"; readonly error?: unknown; readonly note?: string }
  | { readonly kind: "confirming"; readonly folder: Folder }
  | { readonly kind: "working"; readonly progress: Progress | undefined };

interface DeployProps {
  readonly slug: string;
  readonly onDeployed: () => void;
}

export function Deploy({ slug, onDeployed }: DeployProps) {
  const [state, setState] = useState<State>({ kind: "idle" });
  const fail = (error: unknown) => setState({ kind: "idle", error });
  const [over, setOver] = useState(false);
  const ending = useRef<AbortController>(undefined);

  const start = async ({ files, leftOut }: Folder) => {
    ending.current = new AbortController();
    const { signal } = ending.current;
    setState({ kind: "working", progress: undefined });
    announce(`Deploying ${counted(files.length, "file")}.`);
    try {
      const onProgress = (progress: Progress) => setState({ kind: "working", progress });
      const outcome = await upload(slug, files, { signal, onProgress });
      setState({ kind: "idle", ...notes(leftOut) });
      notify(outcomeMessage(slug, outcome));
      onDeployed();
    } catch (error) {
      fail(signal.aborted ? "Cancelled. The published site is unchanged." : error);
      onDeployed();
    }
  };
  const take = (folder: Folder) => {
    if (folder.files.length === 0) return fail("The folder has no files to publish.");
    // Without an index.html the home page is not found, so this needs a confirmation.
    if (!folder.files.some(({ path }) => path === "index.html")) {
      return setState({ kind: "confirming", folder });
    }
    void start(folder);
  };

  if (state.kind === "working") {
    return <Working progress={state.progress} onCancel={() => ending.current?.abort()} />;
  }
  if (state.kind === "confirming") {
    return (
      <Notice tone="waiting" title="There is no index.html at the top of this folder">
        <p>
          The home page would not be found. Perhaps a folder inside it, such as <code>dist</code>,
          is the one to publish.
        </p>
        <div class="actions">
          <Button onClick={() => void start(state.folder)}>Deploy it anyway</Button>
          <Button onClick={() => setState({ kind: "idle" })}>Choose another folder</Button>
        </div>
      </Notice>
    );
  }
  return (
    <section
      class={over ? "drop over" : "drop"}
      aria-label="Deploy a folder"
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={(event) => {
        event.preventDefault();
        setOver(false);
        if (event.dataTransfer) droppedFolder(event.dataTransfer).then(take, fail);
      }}
    >
      <Icon name="folder" />
      <p>
        <strong>Drop the folder of your site here</strong>
        <span class="quiet">It is published when all of its files are uploaded.</span>
      </p>
      <FolderInput onFolder={take} />
      <ErrorMessage error={state.error} />
      {state.note !== undefined && <p class="quiet">{state.note}</p>}
    </section>
  );
}

/** Supported by every browser, but not part of a standard. */
const wholeFolder = { webkitdirectory: true };

function FolderInput({ onFolder }: { onFolder: (folder: Folder) => void }) {
  return (
    <label class="button pick">
      Choose a folder
      <input
        type="file"
        class="visually-hidden"
        multiple
        {...wholeFolder}
        onChange={(event) => {
          const { files } = event.currentTarget;
          if (files !== null && files.length > 0) onFolder(chosenFolder(files));
          event.currentTarget.value = "";
        }}
      />
    </label>
  );
}

function notes(leftOut: number): { note?: string } {
  if (leftOut === 0) return {};
  return { note: `${counted(leftOut, "hidden file")} left out, such as .git or .env.` };
}

function outcomeMessage(slug: string, outcome: FinishedDeployment): string {
  if (outcome.kind === "shown") return `The new deployment of ${slug} is published.`;
  if (outcome.kind === "needless") return "Nothing changed: this content is already published.";
  return "Stored, but a later deployment is published.";
}

const stepLabels: Readonly<Record<Progress["step"], string>> = {
  reading: "Reading",
  uploading: "Uploading",
  finishing: "Publishing",
};

interface WorkingProps {
  readonly progress: Progress | undefined;
  readonly onCancel: () => void;
}

function Working({ progress, onCancel }: WorkingProps) {
  const { step = "reading", done = 0, all = 0, doneBytes = 0, allBytes = 0 } = progress ?? {};
  const words = stepLabels[step];
  const detail =
    step === "finishing"
      ? "All files are uploaded."
      : all === 0 && step === "uploading"
        ? "All files are already stored."
        : `${done} of ${counted(all, "file")}, ${size(doneBytes)} of ${size(allBytes)}`;
  return (
    <section class="drop working" aria-label="Deploying">
      <p>
        <strong>{words}</strong>
        <span class="quiet">{detail}</span>
      </p>
      <progress aria-label={words} max={allBytes || 1} value={doneBytes} />
      <Button onClick={onCancel}>Cancel</Button>
    </section>
  );
}
