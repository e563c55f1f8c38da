import {
  CloseButton,
  ComboboxChevron,
  type MultiSelectProps,
  Pill,
  PillsInput,
  type SelectProps,
  TextInput,
} from '@mantine/core';
import { type ChangeEvent, type KeyboardEvent, useState } from 'react';
import { late, useLate } from '../lib/late.ts';

const code = late(async () => await import('./opened-selects.tsx'));

/** The list is loaded after the page. Until it is first opened, there is only a field that looks like the select. */
function useOpening(text: string) {
  const [typed, setTyped] = useState<string | null>(null);
  const opened = useLate(code, typed !== null, () => setTyped(null));
  const field = {
    role: 'combobox',
    'aria-haspopup': 'listbox',
    'aria-expanded': false,
    autoComplete: 'off',
    value: typed ?? text,
    onClick: () => setTyped(text),
    onChange: ({ currentTarget }: ChangeEvent<HTMLInputElement>) => setTyped(currentTarget.value),
    onKeyDown: ({ key }: KeyboardEvent) => {
      if (key === 'ArrowDown' || key === 'ArrowUp') setTyped(text);
    },
  } as const;
  return { field, typed, opened: typed === null ? undefined : opened };
}

/** The keyboard has Backspace for it. */
const Clear = ({ label, onClick }: { label: string | undefined; onClick: () => void }) => (
  <CloseButton
    size="sm"
    tabIndex={-1}
    aria-label={label}
    aria-hidden={label === undefined}
    onClick={(event) => {
      event.stopPropagation();
      onClick();
    }}
  />
);

type LateSelectProps = Pick<SelectProps, 'aria-label' | 'placeholder' | 'data' | 'clearButtonProps'> & {
  value: string | null;
  /** The label of the value. */
  text: string;
  onChange: (value: string | null) => void;
};

/** Chooses one value or none, by typing. */
export function LateSelect({ text, ...props }: LateSelectProps) {
  const { field, typed, opened } = useOpening(text);
  if (opened && typed !== null) return <opened.OpenedSelect typed={typed} searchable clearable {...props} />;
  const { value, placeholder, clearButtonProps, onChange } = props;
  const clear = <Clear label={clearButtonProps?.['aria-label']} onClick={() => onChange(null)} />;
  return (
    <TextInput
      aria-label={props['aria-label']}
      placeholder={placeholder}
      rightSection={value === null ? <ComboboxChevron /> : clear}
      rightSectionPointerEvents={value === null ? 'none' : 'all'}
      {...field}
    />
  );
}

type LateMultiSelectProps = Omit<MultiSelectProps, 'value' | 'onChange'> & {
  value: string[];
  onChange: (value: string[]) => void;
};

/** Chooses values, by typing. Each value is its own label. */
export function LateMultiSelect(props: LateMultiSelectProps) {
  const { field, typed, opened } = useOpening('');
  if (opened && typed !== null) return <opened.OpenedMultiSelect typed={typed} searchable {...props} />;
  const { value, onChange, label, description, placeholder, clearable, clearButtonProps } = props;
  const remove = (removed: string): void => onChange(value.filter((each) => each !== removed));
  const clear = clearable && value.length > 0 && (
    <Clear label={clearButtonProps?.['aria-label']} onClick={() => onChange([])} />
  );
  return (
    <PillsInput
      label={label}
      description={description}
      onClick={field.onClick}
      rightSection={clear || <ComboboxChevron />}
      rightSectionPointerEvents={clear ? 'all' : 'none'}
    >
      <Pill.Group>
        {value.map((each) => (
          <Pill key={each} withRemoveButton onRemove={() => remove(each)}>
            {each}
          </Pill>
        ))}
        <PillsInput.Field
          {...field}
          aria-label={props['aria-label']}
          placeholder={placeholder}
          onKeyDown={(event) => {
            const last = value.at(-1);
            if (event.key === 'Backspace' && last !== undefined) remove(last);
            else field.onKeyDown(event);
          }}
        />
      </Pill.Group>
    </PillsInput>
  );
}
