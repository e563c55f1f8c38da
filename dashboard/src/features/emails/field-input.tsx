import { t } from '@lingui/core/macro';
import { Group, NativeSelect, Switch, Textarea, TextInput } from '@mantine/core';
import { fieldFault, type PlainField } from './block-types.ts';
import classes from './emails.module.css';

type Props = {
  field: PlainField;
  value: unknown;
  /** undefined: the default of the email. */
  change: (value: unknown) => void;
};

/** One field of the form of a block. */
export function FieldInput({ field, value, change }: Props) {
  const { label } = field;
  const text = typeof value === 'string' ? value : '';
  const setText = (next: string) => change(next === '' ? undefined : next);
  switch (field.kind) {
    case 'line':
      return (
        <TextInput
          label={label}
          description={field.description}
          placeholder={field.placeholder}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      );
    case 'lines':
      return (
        <Textarea
          label={label}
          description={field.description}
          autosize
          minRows={1}
          maxRows={8}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      );
    case 'switch':
      return (
        <Switch
          label={label}
          checked={value === true}
          onChange={(event) => change(event.currentTarget.checked || undefined)}
        />
      );
    case 'choice':
      return (
        <NativeSelect
          label={label}
          data={[{ value: '', label: t`Default` }, ...field.choices]}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
        />
      );
    case 'color':
      return <ColorInput label={label} value={text} error={fieldFault(field, value)} change={setText} />;
  }
}

type ColorProps = { label: string; value: string; error: string | null; change: (value: string) => void };

function ColorInput({ label, value, error, change }: ColorProps) {
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      <TextInput
        label={label}
        placeholder={t`Default`}
        value={value}
        error={error}
        spellCheck={false}
        className={classes.grow}
        onChange={(event) => change(event.currentTarget.value.trim())}
      />
      <input
        type="color"
        aria-label={t`Pick: ${label}`}
        value={error === null && value !== '' ? value : '#ffffff'}
        className={classes.swatch}
        data-default={value === '' || undefined}
        onChange={(event) => change(event.currentTarget.value)}
      />
    </Group>
  );
}
