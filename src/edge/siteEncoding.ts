/** Which form of a content a reader gets, by what it takes (RFC 9110, section 12.5.3). */
import { type Encoding, encodings } from "../sites/siteFile.ts";

/** What a form that was not spoken of weighs: the content itself may always be sent, as a last way. */
const unspokenWeight = 0.0001;

export function chooseEncoding(
  accepted: string | undefined,
  smaller: readonly Encoding[],
): Encoding {
  if (accepted === undefined || smaller.length === 0) return "identity";
  const weights = weightsOf(accepted);
  const weightOf = (encoding: Encoding) =>
    weights.get(encoding) ?? weights.get("*") ?? (encoding === "identity" ? unspokenWeight : 0);
  let best: Encoding = "identity";
  let bestWeight = 0;
  for (const encoding of encodings) {
    if (encoding !== "identity" && !smaller.includes(encoding)) continue;
    const weight = weightOf(encoding);
    if (weight <= bestWeight) continue;
    best = encoding;
    bestWeight = weight;
  }
  return best;
}

/** What cannot be read is left out, as if it had not been said. */
function weightsOf(accepted: string): Map<string, number> {
  const weights = new Map<string, number>();
  for (const item of accepted.toLowerCase().split(",")) {
    const [, name, weight = "1"] =
      /^\s*([\w*-]+)\s*(?:;\s*q=([01](?:\.\d{0,3})?)\s*)?$/.exec(item) ?? [];
    if (name !== undefined) weights.set(name === "x-gzip" ? "gzip" : name, Number(weight));
  }
  return weights;
}
