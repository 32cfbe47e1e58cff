/** Reads settings one by one, and gathers what cannot be understood. */

export type Variables = Readonly<Record<string, string | undefined>>;
export type Parse<T> = (text: string) => T | undefined;
/** The value of a setting, or what stands for it where it is unset or wrong. */
export type Setting = <T, U>(name: string, otherwise: U, accepts: string, parse: Parse<T>) => T | U;

/** A secret is not repeated, not even to the person who set it: terminals and logs remember. */
const secrets = ["PETSTORE_SECRET", "DATABASE_URL"];

export function settingsOf(variables: Variables): {
  readonly setting: Setting;
  readonly complaints: string[];
} {
  const complaints: string[] = [];
  return {
    complaints,
    setting(name, otherwise, accepts, parse) {
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

export const portText = "a port number from 0 to 65535 (0 picks a free one)";

export function wholeNumber(min: number, max: number): Parse<number> {
  return (text) => {
    const value = /^[0-9]{1,6}$/.test(text) ? Number(text) : Number.NaN;
    return value >= min && value <= max ? value : undefined;
  };
}

export const port = wholeNumber(0, 65535);

export function host(text: string): string | undefined {
  return /^[\w.:-]+$/.test(text) ? text : undefined;
}

export function onOrOff(text: string): boolean | undefined {
  return text === "on" ? true : text === "off" ? false : undefined;
}
