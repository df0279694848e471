import type { ReactNode } from "react";

/** A list with a label, from which one value is chosen. A value that is not among the options is one of them, too. */
export function Choice({
  name,
  value = "",
  options,
  words = (option) => option,
  none,
  isNameHidden = false,
  onChange,
}: {
  readonly name: string;
  readonly value?: string | undefined;
  readonly options: readonly string[];
  /** What an option is called. */
  readonly words?: (option: string) => string;
  /** What the choice of nothing is called; without it, something must be chosen. */
  readonly none?: string;
  /** True if only screen readers get the name. */
  readonly isNameHidden?: boolean;
  readonly onChange: (value: string) => void;
}): ReactNode {
  const isKnown = options.includes(value) || (value === "" && none !== undefined);
  const known = isKnown ? options : [value, ...options];
  return (
    <label>
      {isNameHidden ? <span className="hidden">{name}</span> : name}
      <select value={value} onChange={(event) => onChange(event.target.value)}>
        {none !== undefined && <option value="">{none}</option>}
        {known.map((option) => (
          <option key={option} value={option}>
            {words(option)}
          </option>
        ))}
      </select>
    </label>
  );
}
