/** Reads settings one by one, and gathers what cannot be understood. */

export type Variables = Readonly<Record<string, string | undefined>>;
/** Undefined for what is not accepted. */
type Parse<T> = (text: string) => T | undefined;

/** What a setting accepts, in words that follow "must be", and how it is read. */
export interface Kind<T> {
  readonly accepts: string;
  readonly parse: Parse<T>;
}

/** The value of a setting, or what stands for it where it is unset or wrong. */
export type Setting = <T, U>(name: string, otherwise: U, kind: Kind<T>) => T | U;

/** A secret is not repeated, not even to the person who set it: terminals and logs remember. */
const secrets = [
  "PETSTORE_SECRET",
  "DATABASE_URL",
  "PETSTORE_DNS_UPDATE_KEY",
  "PETSTORE_ACME_EAB",
  "PETSTORE_ACME_FALLBACK_EAB",
  "PETSTORE_SMTP_URL",
];

export function settingsOf(variables: Variables): {
  readonly setting: Setting;
  readonly complaints: string[];
} {
  const complaints: string[] = [];
  return {
    complaints,
    setting(name, otherwise, { accepts, parse }) {
      const text = variables[name];
      if (text === undefined || text === "") return otherwise;
      const value = parse(text);
      if (value !== undefined) return value;
      const said = secrets.includes(name) ? "." : `; "${text}" is not.`;
      complaints.push(`${name} must be ${accepts}${said}`);
      return otherwise;
    },
  };
}

export const kind = <T>(accepts: string, parse: Parse<T>): Kind<T> => ({ accepts, parse });

export const anyText = (accepts: string) => kind(accepts, (text) => text);

export const matching = (accepts: string, form: RegExp) =>
  kind(accepts, (text) => (form.test(text) ? text : undefined));

export function wholeNumber(min: number, max: number, what = "a whole number"): Kind<number> {
  return kind(`${what} from ${min} to ${max}`, (text) => {
    const value = /^[0-9]{1,6}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  });
}

/** Several with commas between them. `none` is the word for an empty list. */
export function listOf<T>(accepts: string, parse: Parse<T>, none?: string): Kind<readonly T[]> {
  return kind(accepts, (text) => {
    if (text === none) return [];
    const read = text.split(",").map((each) => parse(each.trim()));
    return read.every((each) => each !== undefined) ? read : undefined;
  });
}

export function oneOf<Word extends string>(words: readonly Word[]): Parse<Word> {
  return (text) => words.find((word) => word === text);
}

const portNumber = wholeNumber(0, 65535, "a port number");
export const port = kind(`${portNumber.accepts} (0 picks a free one)`, portNumber.parse);
export const host = matching("a host name or address", /^[\w.:-]+$/);
export const listenHost = kind(`${host.accepts} to listen on`, host.parse);
export const onOrOff = kind("on or off", (text) =>
  text === "on" ? true : text === "off" ? false : undefined,
);

export function httpUrl(text: string): URL | undefined {
  const url = URL.parse(text);
  return url !== null && /^https?:$/.test(url.protocol) ? url : undefined;
}
