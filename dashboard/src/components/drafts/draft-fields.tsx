import { PasswordInput, Switch, Textarea, TextInput } from '@mantine/core';
import classes from './draft-fields.module.css';
import type { Draft } from './use-draft.ts';

type Named<Values, Value> = { [Name in keyof Values]: Values[Name] extends Value ? Name : never }[keyof Values];
export type DraftFieldProps<Values, Value> = { draft: Draft<Values>; name: Named<Values, Value>; description?: string };

export function DraftSwitch<Values>({
  draft,
  name,
  description,
  isDisabled = false,
}: DraftFieldProps<Values, boolean> & { isDisabled?: boolean }) {
  return (
    <Switch
      label={draft.fields[name].label}
      description={description}
      checked={draft.values[name] as boolean}
      disabled={isDisabled}
      onChange={(event) => draft.set(name, event.currentTarget.checked as Values[typeof name])}
    />
  );
}

type TextProps<Values> = DraftFieldProps<Values, string> & {
  kind?: 'line' | 'lines' | 'code' | 'password';
  placeholder?: string;
  inputMode?: 'numeric';
  autoComplete?: string;
};

export function DraftText<Values>({ draft, name, kind = 'line', ...input }: TextProps<Values>) {
  const props = {
    ...input,
    label: draft.fields[name].label,
    value: draft.values[name] as string,
    error: draft.faultOf(name),
    onChange: (event: React.ChangeEvent<HTMLInputElement | HTMLTextAreaElement>) =>
      draft.set(name, event.currentTarget.value as Values[typeof name]),
  };
  if (kind === 'password') return <PasswordInput {...props} />;
  if (kind === 'code') {
    return (
      <Textarea
        autosize
        minRows={12}
        maxRows={28}
        spellCheck={false}
        classNames={{ input: classes.code ?? '' }}
        {...props}
      />
    );
  }
  return kind === 'lines' ? <Textarea autosize minRows={2} maxRows={6} {...props} /> : <TextInput {...props} />;
}
