/** The form that tries an operation. */
import { find, findAll } from "./elements.ts";
import { elapsedMs, remember, remembered } from "./platform.ts";
import { curlLine, type Filled, type Prepared, prepare } from "./request.ts";
import { coloured, failed, inWords, type Received, shown } from "./result.ts";

const timeoutMs = 30_000;
const bodyShownMax = 200_000;

export function startTryIt(): void {
  for (const form of findAll<HTMLFormElement>("[data-try]")) new TryIt(form);
}

class TryIt {
  readonly #form: HTMLFormElement;
  readonly #base: HTMLInputElement;
  readonly #key: HTMLInputElement;
  readonly #result: HTMLElement;
  #underWay: AbortController | undefined;

  constructor(form: HTMLFormElement) {
    this.#form = form;
    this.#base = find("[data-base-field]", form);
    this.#key = find("[data-key-field]", form);
    this.#result = find("[data-result]", form);
    // A path is on the origin of this page.
    const given = form.dataset.base ?? "";
    const whole = given.startsWith("/") ? location.origin + given : given;
    this.#base.value = remembered("sessionStorage", "base") ?? whole;
    this.#key.value = remembered("sessionStorage", "key") ?? "";
    form.addEventListener("input", () => this.#changed());
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#send();
    });
    // In a textarea Enter is a new line, so Ctrl+Enter or Cmd+Enter submits.
    form.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
    });
    find("[data-cancel]", form).addEventListener("click", () => this.#underWay?.abort());
    find("[data-forget]", form).addEventListener("click", () => {
      this.#key.value = "";
      this.#changed();
      this.#key.focus();
    });
    this.#changed();
  }

  #changed(): void {
    remember("sessionStorage", "key", this.#key.value === "" ? undefined : this.#key.value);
    remember("sessionStorage", "base", this.#base.value === "" ? undefined : this.#base.value);
    const code = find("[data-curl]", this.#form);
    try {
      code.replaceChildren(...coloured(curlLine(prepare(this.#filled())), "sh"));
    } catch (cause) {
      code.textContent = `# ${(cause as Error).message}`;
    }
  }

  #filled(): Filled {
    const { method = "GET", path = "" } = this.#form.dataset;
    const fields = findAll<HTMLInputElement | HTMLSelectElement>("[data-name]", this.#form);
    return {
      baseUrl: this.#base.value.trim(),
      method,
      path,
      parameters: fields.map((field) => ({
        name: field.dataset.name ?? "",
        location: field.dataset.location ?? "",
        value: field.value.trim(),
        many: "many" in field.dataset,
      })),
      body: this.#form.querySelector<HTMLTextAreaElement>("[data-body]")?.value,
    };
  }

  async #send(): Promise<void> {
    if (this.#underWay !== undefined) return;
    const ending = new AbortController();
    this.#underWay = ending;
    this.#busy(true);
    try {
      const key = this.#key.value.trim();
      if (!/^[!-~]*$/.test(key)) throw new Error("The API key has characters that no key has.");
      const received = await exchange(prepare(this.#filled()), key, ending.signal);
      const pages = {
        codes: (this.#form.dataset.errors ?? "").split(" "),
        at: this.#form.dataset.errorsAt ?? "",
      };
      this.#show(shown(received, pages), inWords(received));
    } catch (cause) {
      const message = ending.signal.aborted ? "Cancelled." : (cause as Error).message;
      this.#show(failed(message), message);
    } finally {
      this.#underWay = undefined;
      this.#busy(false);
    }
  }

  #busy(busy: boolean): void {
    const send = find<HTMLButtonElement>("[data-send]", this.#form);
    const cancel = find<HTMLButtonElement>("[data-cancel]", this.#form);
    // Not `disabled`, which would lose the focus.
    send.setAttribute("aria-disabled", String(busy));
    send.textContent = busy ? "Sending …" : "Send request";
    if (!busy && document.activeElement === cancel) send.focus();
    cancel.hidden = !busy;
  }

  #show(parts: readonly Node[], words: string): void {
    this.#result.hidden = false;
    this.#result.replaceChildren(...parts);
    find("[data-said]", this.#form).textContent = words;
  }
}

async function exchange(request: Prepared, key: string, ended: AbortSignal): Promise<Received> {
  const headers = new Headers(Object.fromEntries(request.headers));
  if (key !== "") headers.set("Authorization", `Bearer ${key}`);
  const startedMs = elapsedMs();
  try {
    const response = await fetch(request.url, {
      method: request.method,
      headers,
      body: request.body ?? null,
      signal: AbortSignal.any([ended, AbortSignal.timeout(timeoutMs)]),
      // A redirect would carry the key to another URL.
      redirect: "error",
      credentials: "omit",
      referrerPolicy: "no-referrer",
      cache: "no-store",
    });
    const body = await response.text();
    return {
      status: response.status,
      statusText: response.statusText,
      headers: [...response.headers],
      body: body.slice(0, bodyShownMax),
      elapsedMs: elapsedMs() - startedMs,
    };
  } catch (cause) {
    if (ended.aborted) throw cause;
    const late = cause instanceof DOMException && cause.name === "TimeoutError";
    throw new Error(
      late
        ? `No response within ${timeoutMs / 1000} seconds.`
        : `No response from ${new URL(request.url).origin}. The service may be down, the address wrong, or this page not allowed to call it: pages may call only what the site's operator permits.`,
    );
  }
}
