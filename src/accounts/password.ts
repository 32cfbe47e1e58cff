/** Password rules and hashing. There are no composition rules: they make passwords predictable. */
import { argon2, timingSafeEqual } from "node:crypto";
import type { Clock } from "../core/clock.ts";
import { Problem } from "../core/problems.ts";
import { Semaphore, SemaphoreFull } from "../core/semaphore.ts";

export const passwordLengthMin = 12;
const passwordLengthMax = 256;
/** No character decomposes into more code units. */
const partsMax = 4;

/**
 * One encoding for what looks the same; undefined for what is too long to be a password. Limited
 * because normalising takes quadratic time in the number of combining marks, before authentication.
 */
function normalizePassword(password: string): string | undefined {
  return password.length > partsMax * passwordLengthMax ? undefined : password.normalize("NFC");
}

/** Why a text cannot be the password of an account; undefined when it can. */
export function passwordError(password: string, account: string): string | undefined {
  const text = normalizePassword(password);
  if (text === undefined) return tooLong;
  if (!text.isWellFormed()) return "The password contains an incomplete character. Type it again.";
  const length = [...text].length;
  if (length < passwordLengthMin) {
    return `The password must have at least ${passwordLengthMin} characters. A few words in a row will do.`;
  }
  if (length > passwordLengthMax) return tooLong;
  const folded = text.toLowerCase();
  if (folded === account) return "The password must not be the name.";
  if (commonPasswords.has(folded) || new Set(folded).size === 1) {
    return "The password is too easy to guess. Choose another.";
  }
  return undefined;
}

const tooLong = `The password must not have more than ${passwordLengthMax} characters.`;

/** The most common ones that are long enough, in lower case. */
export const commonPasswords: ReadonlySet<string> = new Set(
  `
  123456789012 1234567890123 12345678901234 123456789012345 1234567890123456 12345678901234567890
  0123456789012 012345678910 123456123456 123123123123 112233445566 11223344556677 987654321098
  098765432109 121212121212 101010101010 123321123321 123456654321 147258369147 159753159753
  1q2w3e4r5t6y 1q2w3e4r5t6y7u 1q2w3e4r5t6y7u8i 1q2w3e4r5t6y7u8i9o0p 1qaz2wsx3edc 1qaz2wsx3edc4rfv
  1qazxsw23edc qazwsxedcrfv qazwsxedcrfvtgb zaq12wsxcde3 zaq1xsw2cde3 q1w2e3r4t5y6 q1w2e3r4t5y6u7
  1234qwerasdf 1234qwerasdfzxcv qwerasdfzxcv qweasdzxc123 qweqweqweqwe qwe123qwe123 asdasdasdasd
  qwertyuiopas qwertyuiop123 qwertyuiop12 qwertyuiop1234 qwertyuiop[] qwertyuiop[]\\ qwertyqwerty
  qwerty123456 qwerty1234567 qwerty12345678 qwerty123456789 qwerty123qwerty qwerty12345!
  qwertyuiopasdfghjkl qwertyuiopasdfghjklzxcvbnm qwertzuiop123 azertyuiop123 azertyuiopqs
  asdfghjkl123 asdfghjkl1234 asdfghjkl;'\\ asdfghjklzxcvbnm asdfasdfasdf zxcvbnm12345 zxcvbnm123456
  abcdefghijkl abcdefghijklm abcdefghijklmnop abcdefghijklmnopqrstuvwxyz abcd1234abcd abc123abc123
  abcabcabcabc abcdef123456 abcdefg12345 abcdefg123456 a1b2c3d4e5f6 a1b2c3d4e5f6g7 aa1234567890
  a12345678901 a1234567890a abc1234567890
  password1234 password12345 password123456 password1234567 password12345678 password123456789
  password1234567890 password123! password1234! password2023! password2024! password2025!
  password2026! passwordpassword password12password mypassword12 mypassword123 mypassword1234
  mypassword123! newpassword1 newpassword12 newpassword123 newpassword123! thepassword1
  thisismypassword thisisapassword nopassword123 yourpassword passw0rd1234 p@ssw0rd1234
  p@ssw0rd123! p@ssword1234 p@ssword123! pa$$word1234 pa$$w0rd1234 pa55word1234
  passwort1234 passwort12345 motdepasse12 motdepasse123 contraseña123 contrasena123 senha1234567
  welcome12345 welcome123456 welcome1234! welcome2024! welcome2025! welcome2026! welcomewelcome
  administrator administrator1 administrator123 administrator1! adminadmin12 adminadmin123
  adminadminadmin admin1234567 admin12345678 admin123456789 admin1234567890 adminpassword admin123admin
  admin123admin123 root12345678 rootpassword rootrootroot superuser123 supervisor12 superadmin123
  operator1234 operator12345 operator123456 operatoroperator petstore1234 petstore12345
  petstore123456 petstorepetstore petstorepassword
  changeme1234 changeme12345 changeme123! changemechangeme changemenow1 changemeplease pleasechangeme
  default12345 defaultpassword temporary123 temppassword temppassword1 testpassword testpassword1
  testpassword123 test12345678 test123456789 testtesttest testing12345 testing123456 guest1234567
  letmein12345 letmein123456 letmeinletmein letmeinplease letmeinnow12 opensesame12 opensesame123
  trustno1trustno1 iloveyou1234 iloveyou12345 iloveyou123456 iloveyouforever iloveyousomuch
  iloveyoubaby iloveyou1314 iloveyouiloveyou iloveyouu123 ilovemyfamily ilovejesus12 jesuschrist1
  jesusislord1 sunshine1234 sunshine12345 princess1234 princess12345 football1234 football12345
  baseball1234 basketball12 basketball123 superman1234 superman12345 batman123456 spiderman123
  starwars1234 pokemon12345 pokemon123456 liverpool123 liverpoolfc1 manchester12 manchester123
  manchesterunited michael12345 charlie12345 jennifer1234 computer1234 computer12345 internet1234
  samsung12345 samsung123456 google123456 facebook1234 facebook12345 linkedin1234 microsoft123
  dragon123456 monkey123456 shadow123456 master123456 killer123456 summer123456 winter123456
  freedom12345 whatever1234 whatever12345 chocolate123 butterfly123 blink182blink182 correcthorsebatterystaple
  correct-horse-battery-staple ncc1701ncc1701 hello1234567 hello12345678 hellohello12 hellohello123
  helloworld12 helloworld123 helloworld1! hellohellohello secret123456 secretpassword topsecret123
  godisgood123 godislove123 unknown12345 nothing12345 everything12 everything123 forever12345
  november2026 december2026 september2026
  `
    .split(/\s+/)
    .filter((each) => each !== ""),
);

/** How much work a hash is. Memory in KiB. */
interface Cost {
  readonly memory: number;
  readonly passes: number;
  readonly parallelism: number;
}

/** OWASP's choice for argon2id (docs/decisions/0038). A stored hash of another cost is replaced. */
export const currentCost: Cost = { memory: 19_456, passes: 2, parallelism: 1 };

/** Off the main thread. */
export type Derive = (password: Uint8Array, salt: Uint8Array, cost: Cost) => Promise<Uint8Array>;

const saltBytes = 16;
const hashBytes = 32;
/** Each takes a core and the memory of its cost. */
const hashingAtOnceMax = 2;
const hashingWaitingMax = 32;
const busySeconds = 2;

const argon2id: Derive = (message, nonce, cost) =>
  new Promise((resolve, reject) => {
    const parameters = { message, nonce, ...cost, tagLength: hashBytes };
    argon2("argon2id", parameters, (cause, hash) => (cause ? reject(cause) : resolve(hash)));
  });

interface StoredHash {
  readonly cost: Cost;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
}

export class Passwords {
  readonly #clock: Clock;
  readonly #derive: Derive;
  readonly #hashing = new Semaphore(hashingAtOnceMax, hashingWaitingMax);
  /** Compared with if there is no password, so that it takes the same time. */
  readonly #dummy: StoredHash;

  constructor(clock: Clock, derive: Derive = argon2id) {
    this.#clock = clock;
    this.#derive = derive;
    this.#dummy = {
      cost: currentCost,
      salt: clock.random(saltBytes),
      hash: clock.random(hashBytes),
    };
  }

  async hash(password: string): Promise<string> {
    const salt = this.#clock.random(saltBytes);
    return formatHash({
      cost: currentCost,
      salt,
      hash: await this.#derived(password, salt, currentCost),
    });
  }

  /** Does the same work whether there is a password to compare with or not. */
  async matches(password: string, stored: string | undefined): Promise<boolean> {
    const { cost, salt, hash } = stored === undefined ? this.#dummy : parseHash(stored);
    const same = timingSafeEqual(await this.#derived(password, salt, cost), hash);
    return same && stored !== undefined;
  }

  async #derived(password: string, salt: Uint8Array, cost: Cost): Promise<Uint8Array> {
    // No stored password is empty, so one that is too long never matches, after the same work.
    const bytes = Buffer.from(normalizePassword(password) ?? "");
    return this.#hashing
      .run(() => this.#derive(bytes, salt, cost))
      .catch((cause: unknown) => {
        if (!(cause instanceof SemaphoreFull)) throw cause;
        const message = "Too many people are signing in right now. Try again in a moment.";
        throw new Problem("sign_in_busy", { detail: message, retryAfterSeconds: busySeconds });
      });
  }
}

/** Whether a stored password should be hashed again when it is next entered. */
export function needsRehash(stored: string): boolean {
  const { memory, passes, parallelism } = parseHash(stored).cost;
  return (
    memory !== currentCost.memory ||
    passes !== currentCost.passes ||
    parallelism !== currentCost.parallelism
  );
}

function formatHash({ cost: { memory, passes, parallelism }, salt, hash }: StoredHash): string {
  return `$argon2id$v=19$m=${memory},t=${passes},p=${parallelism}$${base64(salt)}$${base64(hash)}`;
}

const form = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=(\d+)\$([\w+/]+)\$([\w+/]+)$/;

function parseHash(text: string): StoredHash {
  const [, memory, passes, parallelism, salt = "", hash = ""] = form.exec(text) ?? [];
  const bytes = Buffer.from(hash, "base64");
  // The message leaves out the hash, since it may be logged.
  if (bytes.length !== hashBytes) throw new Error("A stored password has an unknown form.");
  return {
    cost: { memory: Number(memory), passes: Number(passes), parallelism: Number(parallelism) },
    salt: Buffer.from(salt, "base64"),
    hash: bytes,
  };
}

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64").replace(/=+$/, "");
