/** Everything hostile that is sent as it is written here. */
import { framingCases } from "./framing.ts";
import { headCases } from "./heads.ts";
import type { Recipe } from "./hostileCase.ts";

export const recipes: readonly Recipe[] = [...framingCases, ...headCases];
