/** All that growth measures. */
import { connections } from "./connections.ts";
import { domains } from "./domains.ts";
import { endpoints } from "./endpoints.ts";
import { files } from "./files.ts";
import { keys } from "./keys.ts";
import { pets } from "./pets.ts";
import type { Subject } from "./subject.ts";

export const subjects: readonly Subject[] = [keys, domains, endpoints, files, connections, pets];
