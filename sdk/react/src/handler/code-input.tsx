import { type Ref, useId, useState } from 'react';

const LENGTH = 6;
const PLACES = Array.from({ length: LENGTH }, (_, place) => place);

type CodeInputProps = {
  label: string;
  value: string;
  onChange: (value: string) => void;
  /** Called when the sixth character is typed or pasted. */
  onComplete: (value: string) => void;
  kind: 'digits' | 'letters-and-digits';
  fault?: string | null;
  isBusy?: boolean;
  inputRef?: Ref<HTMLInputElement>;
};

/** One input that looks like six, so that paste, autofill and screen readers work as usual. */
export function CodeInput({
  label,
  value,
  onChange,
  onComplete,
  kind,
  fault = null,
  isBusy = false,
  inputRef,
}: CodeInputProps) {
  const id = useId();
  const [hasFocus, setFocus] = useState(false);
  const type = (text: string) => {
    if (isBusy) return;
    const next = cleaned(text, kind);
    onChange(next);
    if (next.length === LENGTH && next !== value) onComplete(next);
  };
  return (
    <div className="gbh-field">
      <label htmlFor={id}>{label}</label>
      <div className="gbh-code" data-focus={hasFocus} data-busy={isBusy} data-invalid={fault !== null}>
        <input
          id={id}
          ref={inputRef}
          className="gbh-code-input"
          value={value}
          onChange={(event) => type(event.currentTarget.value)}
          onFocus={() => setFocus(true)}
          onBlur={() => setFocus(false)}
          onSelect={keepCaretAtEnd}
          autoComplete="one-time-code"
          inputMode={kind === 'digits' ? 'numeric' : 'text'}
          autoCapitalize="characters"
          spellCheck={false}
          aria-invalid={fault !== null}
          aria-describedby={fault ? `${id}-fault` : undefined}
          aria-busy={isBusy}
        />
        {PLACES.map((place) => (
          <span
            key={place}
            className="gbh-code-cell"
            data-active={hasFocus && place === Math.min(value.length, LENGTH - 1)}
            aria-hidden="true"
          >
            {value[place] ?? ''}
          </span>
        ))}
      </div>
      {fault && (
        <p className="gbh-fault" id={`${id}-fault`} role="alert">
          {fault}
        </p>
      )}
    </div>
  );
}

/** Drops spaces and dashes that were copied along; letters become upper case, as in the email. */
function cleaned(text: string, kind: CodeInputProps['kind']): string {
  return text
    .toUpperCase()
    .replace(kind === 'digits' ? /[^0-9]/g : /[^0-9A-Z]/g, '')
    .slice(0, LENGTH);
}

/** The input's own text is invisible, so the caret must not move inside it. */
function keepCaretAtEnd({ currentTarget: input }: { currentTarget: HTMLInputElement }): void {
  const end = input.value.length;
  if (input.selectionStart === input.selectionEnd && input.selectionEnd !== end) input.setSelectionRange(end, end);
}
