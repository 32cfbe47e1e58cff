/** What the test bed's name servers have in common, whichever program it is that serves. */

import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventually } from "../eventually.ts";
import { serialOf } from "./ask.ts";
import { type Child, oneAtATime } from "./processes.ts";
import { bareName, type ZoneContent, zoneText } from "./zoneText.ts";

export interface NameServer {
  readonly address: string;
  readonly port: number;
  /** Makes the zone, or replaces all of it. The server answers accordingly once this resolves. */
  setZone(zone: string, content: ZoneContent): Promise<void>;
  /** Replaces the records and leaves name servers and times as they were. */
  setRecords(zone: string, records: string): Promise<void>;
  removeZone(zone: string): Promise<void>;
  output(): string;
  stop(): Promise<void>;
}

export interface NameServerOptions {
  /** For its files; must exist. */
  readonly folder: string;
  readonly address: string;
  readonly port: number;
  readonly zones?: Record<string, ZoneContent>;
}

/** How one program is told of its zones. */
export interface ZoneControl {
  add(zone: string, file: string): Promise<void>;
  reload(zone: string): Promise<void>;
  remove(zone: string): Promise<void>;
  /** What the program writes to its log when it cannot take a zone over. */
  complaint(zone: string): RegExp;
}

interface KeptZone {
  readonly file: string;
  readonly content: ZoneContent;
}

export async function serveZones(
  { folder, address, port, zones = {} }: NameServerOptions,
  child: Child,
  control: ZoneControl,
): Promise<NameServer> {
  const kept = new Map<string, KeptZone>();
  const inTurn = oneAtATime();
  let changes = 0;

  async function set(zone: string, content: ZoneContent): Promise<void> {
    const known = kept.get(zone);
    const serial = ++changes;
    const file = known?.file ?? join(folder, `${serial}.zone`);
    const nameServers = content.nameServers ?? { ns1: address };
    writeFileSync(file, zoneText(zone, serial, { ...content, nameServers }));
    kept.set(zone, { file, content });
    const saidBefore = child.output().length;
    await (known === undefined ? control.add(zone, file) : control.reload(zone));
    await served(zone, serial, saidBefore);
  }

  async function served(zone: string, serial: number, saidBefore: number): Promise<void> {
    const said = () => child.output().slice(saidBefore);
    try {
      await eventually(async () => {
        if (control.complaint(zone).test(said())) throw new Error("The server complains.");
        return (await serialOf(address, port, zone).catch(() => undefined)) === serial;
      });
    } catch (cause) {
      throw new Error(`${zone} was not taken over:\n${said()}`, { cause });
    }
  }

  async function remove(zone: string): Promise<void> {
    if (!kept.delete(zone)) throw new Error(`${zone} is not served here.`);
    await control.remove(zone);
    const serial = () => serialOf(address, port, zone).catch(() => "nobody knows");
    await eventually(async () => (await serial()) === undefined);
  }

  const server: NameServer = {
    address,
    port,
    setZone: (zone, content) => inTurn(() => set(bareName(zone), content)),
    setRecords: (zone, records) =>
      inTurn(() => {
        const known = kept.get(bareName(zone));
        if (known === undefined) throw new Error(`${zone} is not served here.`);
        return set(bareName(zone), { ...known.content, records });
      }),
    removeZone: (zone) => inTurn(() => remove(bareName(zone))),
    output: child.output,
    stop: child.stop,
  };
  try {
    for (const [zone, content] of Object.entries(zones)) await server.setZone(zone, content);
  } catch (cause) {
    await child.stop();
    throw cause;
  }
  return server;
}
