import type {
  DnsAnswer,
  NameServer,
  NameServers,
  RecordType,
  Resolver,
} from "../../src/hosting/domains/resolver.ts";

/**
 * Questions and their answers. A question is `ns example.com` for name servers,
 * `docs.example.com CNAME` for the recursor, and `docs.example.com CNAME @ns1.example.net` for one
 * server alone. What `@` asks goes to all servers of which nothing else is said.
 */
export type Script = Readonly<Record<string, DnsAnswer | NameServers>>;

/** Answers what is in the script, and fails on any question that the test did not expect. */
export class ScriptedResolver implements Resolver {
  readonly asked: string[] = [];
  readonly #script: Script;

  constructor(script: Script) {
    this.#script = script;
  }

  /** What of the script nobody asked for. */
  get unasked(): string[] {
    return Object.keys(this.#script).filter((question) => !this.#answered.has(question));
  }

  readonly #answered = new Set<string>();

  async lookUp(name: string, type: RecordType): Promise<DnsAnswer> {
    return this.#answer([`${name} ${type}`]) as DnsAnswer;
  }

  async nameServers(name: string): Promise<NameServers> {
    return this.#answer([`ns ${name}`]) as NameServers;
  }

  async ask(server: NameServer, name: string, type: RecordType): Promise<DnsAnswer> {
    return this.#answer([`${name} ${type} @${server.name}`, `${name} ${type} @`]) as DnsAnswer;
  }

  #answer(questions: readonly [string, ...string[]]): DnsAnswer | NameServers {
    this.asked.push(questions[0]);
    const question = questions.find((each) => Object.hasOwn(this.#script, each));
    if (question === undefined) throw new Error(`Nobody expected to be asked: ${questions[0]}`);
    this.#answered.add(question);
    return this.#script[question] as DnsAnswer;
  }
}
