/** Which part of an environment is settings: a command hands over these and nothing else. */

type Variables = Readonly<Record<string, string | undefined>>;

const settingNames = /^(?:PORT|HOST|DATABASE_URL|PETSTORE_\w+|PG[A-Z]+)$/;

export function settingsAmong(variables: Variables): Record<string, string> {
  const named = Object.entries(variables).filter(([name]) => settingNames.test(name));
  return Object.fromEntries(named) as Record<string, string>;
}

/** The environment with these settings in place of its own. */
export function withSettings(
  variables: Variables,
  settings: Readonly<Record<string, string>>,
): Variables {
  const others = Object.entries(variables).filter(([name]) => !settingNames.test(name));
  return { ...Object.fromEntries(others), ...settingsAmong(settings) };
}
