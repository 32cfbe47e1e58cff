/** Bodies made from the contract's schemas, and what becomes of them on the way to a wild JSON text. */
import type { SeededRandom } from "../../testkit/seededRandom.ts";

/** JSON before it is text, so that it can be what no value is: members twice, numbers beyond all. */
export type Node =
  | { readonly kind: "object"; readonly members: readonly (readonly [string, Node])[] }
  | { readonly kind: "array"; readonly items: readonly Node[] }
  | { readonly kind: "literal"; readonly text: string };

export interface SchemaNode {
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, SchemaNode>>;
  readonly required?: readonly string[];
}

const literal = (text: string): Node => ({ kind: "literal", text });
const quoted = (text: string) => literal(JSON.stringify(text));

const wildNumbers = [
  ...["0", "-0", "1", "-1", "1.0", "0.5", "1e2", "1E+2", "10e-1", "1e400", "-1e400", "1e-400"],
  ...["9223372036854775807", "9223372036854775808", "-9223372036854775808", "-9223372036854775809"],
  ...["9007199254740993", "9007199254740993.0", "900719925474099300e-2", "0.99999999999999999999"],
  ...["18446744073709551616", "123456789012345678901234567890", "1".repeat(5_000)],
  ...["01", "+1", ".5", "1.", "0x10", "NaN", "Infinity", "-", "1_000", "1e", "--1", "٣"],
];
const wildStrings = [
  ...[
    '""',
    '" "',
    '"\\t\\n"',
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\ud800"',
    '"\\udc00\\ud800"',
    '"\\ud83d\\udc08"',
  ],
  ...[
    '"\u00a0\u2003"',
    '"\u2028"',
    '"\\u2028"',
    '"\ufeff"',
    '"e\u0301"',
    '"\u202eabc"',
    '"\\/"',
    '"\\x"',
    '"\\u12"',
  ],
  ...[
    '"a\nb"',
    '"a\tb"',
    '"\x01"',
    "'a'",
    '"open',
    '"1"',
    '"null"',
    '"<script>"',
    '"\'; DROP TABLE pets; --"',
  ],
  ...[
    `"${"a".repeat(255)}"`,
    `"${"a".repeat(256)}"`,
    `"${"🐈".repeat(255)}"`,
    `"${"🐈".repeat(256)}"`,
  ],
  ...[`"${"\\u0061".repeat(255)}"`, '"available"', '"AVAILABLE"', '"sold "', '"placed"'],
];
const wildOthers = [
  "null",
  "true",
  "false",
  "[]",
  "{}",
  "undefined",
  "",
  "[1]",
  '{"a":1}',
  "[[[]]]",
  "nul",
];
const wildNames = [
  ...[
    "__proto__",
    "constructor",
    "toString",
    "hasOwnProperty",
    "",
    " ",
    "id",
    "name",
    "Name",
    "status",
  ],
  ...[
    "categoryId",
    "petId",
    "quantity",
    "name\u0000",
    "näme",
    "a".repeat(1_000),
    "0",
    "toJSON",
    "then",
  ],
];

function wild(random: SeededRandom, depth = 0): Node {
  const choice = random.between(0, depth > 3 ? 3 : 6);
  if (choice === 0) return literal(random.oneOf(wildNumbers));
  if (choice === 1) return literal(random.oneOf(wildStrings));
  if (choice === 2) return literal(random.oneOf(wildOthers));
  if (choice === 3) return literal(nested(random));
  const some = Array.from({ length: random.between(0, 4) }, () => wild(random, depth + 1));
  if (choice === 4) return { kind: "array", items: some };
  return { kind: "object", members: some.map((node) => [random.oneOf(wildNames), node]) };
}

/** Deeper than any stack, shallower, or never closed. */
function nested(random: SeededRandom): string {
  const depth = random.oneOf([10, 500, 5_000, 30_000]);
  const [open, close] = random.oneOf([
    ["[", "]"],
    ['{"a":', "}"],
  ] as const);
  return `${open.repeat(Math.min(depth, 10_000))}1${random.happens(0.7) ? close.repeat(Math.min(depth, 10_000)) : ""}`;
}

const letters = [..."abcXYZ 019_-'\"\\é漢א", "🐈", "e\u0301", "\u200d", "\t"];
const int64s = ["0", "1", "-1", "9223372036854775807", "-9223372036854775808", "9007199254740993"];

/** A value that the schema allows. */
export function valid(schema: SchemaNode, random: SeededRandom, known: readonly string[]): Node {
  if (schema.properties !== undefined) {
    const members = Object.entries(schema.properties)
      .filter(([name]) => schema.required?.includes(name) || random.happens(0.6))
      .map(([name, member]): [string, Node] => [name, valid(member, random, known)]);
    return { kind: "object", members };
  }
  if (schema.enum !== undefined) return quoted(random.oneOf(schema.enum));
  if (schema.type === "integer") {
    if (schema.format === "int64") {
      if (known.length > 0 && random.happens(0.7)) return literal(random.oneOf(known));
      return literal(random.oneOf(int64s));
    }
    return literal(String(random.between(schema.minimum ?? 1, (schema.maximum ?? 99) + 1)));
  }
  const name = Array.from({ length: random.between(0, 40) }, () => random.oneOf(letters)).join("");
  return quoted(`w${name}`);
}

/** One thing of the tree is another. */
export function spoil(node: Node, random: SeededRandom): Node {
  if (node.kind === "literal" || random.happens(0.1)) return wild(random);
  if (node.kind === "array") {
    const at = random.between(0, node.items.length + 1);
    return { kind: "array", items: node.items.toSpliced(at, 1, wild(random)) };
  }
  const { members } = node;
  const at = random.between(0, members.length);
  const member = members[at];
  if (member === undefined)
    return { kind: "object", members: [[random.oneOf(wildNames), wild(random)]] };
  const [name, value] = member;
  const choice = random.between(0, 6);
  if (choice === 0) return { kind: "object", members: members.toSpliced(at, 1) };
  if (choice === 1) return { kind: "object", members: [...members, [name, wild(random)]] };
  if (choice === 2)
    return { kind: "object", members: [[random.oneOf(wildNames), wild(random)], ...members] };
  if (choice === 3)
    return { kind: "object", members: members.toSpliced(at, 1, [random.oneOf(wildNames), value]) };
  return { kind: "object", members: members.toSpliced(at, 1, [name, spoil(value, random)]) };
}

export function textOf(node: Node): string {
  if (node.kind === "literal") return node.text;
  if (node.kind === "array") return `[${node.items.map(textOf).join(",")}]`;
  const members = node.members.map(([name, value]) => `${JSON.stringify(name)}:${textOf(value)}`);
  return `{${members.join(",")}}`;
}

const notUtf8 = ["ff", "c328", "c0af", "eda080", "f4908080", "e282", "80", "f09f90"];
const bodyBytesMax = 65_536;

/** What is done to a text as bytes. */
export function spoilText(text: string, random: SeededRandom): Buffer {
  const bytes = Buffer.from(text);
  const at = random.between(0, bytes.length + 1);
  const put = (what: Buffer) => Buffer.concat([bytes.subarray(0, at), what, bytes.subarray(at)]);
  const padded = (size: number) =>
    Buffer.concat([bytes, Buffer.alloc(Math.max(0, size - bytes.length), " ")]);
  switch (random.between(0, 10)) {
    case 0:
      return put(Buffer.from(random.oneOf(notUtf8), "hex"));
    case 1:
      return bytes.subarray(0, at);
    case 2:
      return Buffer.from(`\ufeff${text}`);
    case 3:
      return padded(bodyBytesMax);
    case 4:
      return padded(bodyBytesMax + random.between(1, 5_000));
    case 5:
      return Buffer.from(`${text}${random.oneOf(["{}", ",", "\0", "]", " \n", "//x", "\u00a0"])}`);
    case 6:
      return Buffer.from(text, "utf16le");
    case 7:
      return Buffer.alloc(0);
    case 8:
      return Buffer.from(random.bytes(random.between(1, 300)));
    default:
      return put(Buffer.from(random.oneOf([",", ":", "/*x*/", "\0", "}", "\\", '"', " "])));
  }
}
