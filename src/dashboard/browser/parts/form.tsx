/** Forms and their fields. */
import type { ComponentChildren, InputHTMLAttributes, JSX } from "preact";
import { useId } from "preact/hooks";

interface FieldProps {
  readonly label: string;
  readonly hint?: ComponentChildren;
  readonly children: (ids: { id: string; "aria-describedby": string | undefined }) => JSX.Element;
}

export function Field({ label, hint, children }: FieldProps) {
  const id = useId();
  const described = hint === undefined ? undefined : `${id}-hint`;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({ id, "aria-describedby": described })}
      {hint !== undefined && (
        <p class="hint" id={described}>
          {hint}
        </p>
      )}
    </div>
  );
}

type TextProps = InputHTMLAttributes<HTMLInputElement> &
  Omit<FieldProps, "children"> & {
    readonly onText: (text: string) => void;
    readonly mono?: boolean;
    readonly suggestions?: readonly string[];
  };

export function TextField({ label, hint, onText, mono, suggestions, ...input }: TextProps) {
  const list = useId();
  const listed: object = suggestions === undefined ? {} : { list };
  return (
    <Field label={label} hint={hint}>
      {(ids) => (
        <>
          <input
            {...ids}
            {...input}
            {...listed}
            class={mono ? "mono" : undefined}
            spellcheck={false}
            onInput={(event) => onText(event.currentTarget.value)}
          />
          {suggestions && (
            <datalist id={list}>
              {suggestions.map((each) => (
                <option key={each} value={each} />
              ))}
            </datalist>
          )}
        </>
      )}
    </Field>
  );
}

/** The field of a password that is being chosen. */
export const newPassword = {
  type: "password",
  autocomplete: "new-password",
  minLength: 12,
  required: true,
} as const;

interface ChoiceProps<T extends string> {
  readonly value: T;
  readonly options: Readonly<Record<T, string>>;
  readonly onChoice: (value: T) => void;
  readonly id?: string;
  readonly "aria-label"?: string;
  readonly "aria-describedby"?: string | undefined;
}

/** A select without a label of its own. */
export function Choice<T extends string>({ options, onChoice, ...select }: ChoiceProps<T>) {
  return (
    <select
      {...select}
      onChange={({ currentTarget }) => {
        const chosen = currentTarget.value as T;
        // It shows `value` until that changes: a choice may have to be confirmed first.
        currentTarget.value = select.value;
        onChoice(chosen);
      }}
    >
      {Object.entries<string>(options).map(([each, words]) => (
        <option key={each} value={each}>
          {words}
        </option>
      ))}
    </select>
  );
}

type ChoiceFieldProps<T extends string> = ChoiceProps<T> & Omit<FieldProps, "children">;

export function ChoiceField<T extends string>({ label, hint, ...choice }: ChoiceFieldProps<T>) {
  return (
    <Field label={label} hint={hint}>
      {(ids) => <Choice {...choice} {...ids} />}
    </Field>
  );
}

interface TickProps {
  readonly type: "radio" | "checkbox";
  readonly checked: boolean;
  readonly onTick: () => void;
  readonly children: ComponentChildren;
}

export function Tick({ type, checked, onTick, children }: TickProps) {
  return (
    <label class="tick">
      <input
        type={type}
        name={type === "radio" ? "powers" : undefined}
        checked={checked}
        onChange={onTick}
      />
      <span>{children}</span>
    </label>
  );
}

interface FormProps {
  readonly onSubmit: () => void;
  readonly children: ComponentChildren;
}

export function Form({ onSubmit, children }: FormProps) {
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </form>
  );
}
