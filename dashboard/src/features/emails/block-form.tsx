import type { EmailBlock } from '@gatebook/js/admin';
import { Trans } from '@lingui/react/macro';
import { NumberInput, Stack, Text } from '@mantine/core';
import { type BlockField, findBlockType, nameOf } from './block-types.ts';
import { readValue } from './content-tree.ts';
import classes from './emails.module.css';
import { FieldInput } from './field-input.tsx';
import { NumberField } from './number-field.tsx';

type Change = (field: Pick<BlockField, 'part' | 'name'>, value: unknown) => void;
type Props = { id: string; block: EmailBlock; change: Change };

const isWide = ({ kind }: BlockField): boolean => kind === 'line' || kind === 'lines';

/** Edits one block. */
export function BlockForm({ id, block, change }: Props) {
  const fields = findBlockType(block)?.fields;
  if (!fields) {
    return (
      <Text id={id} size="sm" c="dimmed">
        <Trans>Edit this block in the source.</Trans>
      </Text>
    );
  }
  const inputs = (part: readonly BlockField[]) =>
    part.map((field) => {
      const [key, value] = [`${field.part} ${field.name}`, readValue(block, field.part, field.name)];
      const set = (next: unknown) => change(field, next);
      return field.kind === 'number' ? (
        <NumberField key={key} field={field} value={value} change={set} />
      ) : (
        <FieldInput key={key} field={field} value={value} change={set} />
      );
    });
  return (
    <Stack id={id} gap="sm" role="group" aria-label={nameOf(block)} className={classes.form}>
      {inputs(fields.filter(isWide))}
      <div className={classes.pairs}>{inputs(fields.filter((field) => !isWide(field)))}</div>
      {block.type !== 'Spacer' && <Spacing block={block} change={change} />}
    </Stack>
  );
}

const sides = ['top', 'bottom', 'left', 'right'] as const;
type Padding = Record<(typeof sides)[number], number>;

/** The space around the block. */
function Spacing({ block, change }: Omit<Props, 'id'>) {
  const stored = readValue(block, 'style', 'padding') as Partial<Padding> | undefined;
  const padding = Object.fromEntries(sides.map((side) => [side, stored?.[side] ?? 0])) as Padding;
  return (
    <fieldset className={classes.spacing}>
      <legend>
        <Trans>Space around</Trans>
      </legend>
      <div className={classes.sides}>
        {sides.map((side) => (
          <NumberInput
            key={side}
            label={side[0]?.toUpperCase() + side.slice(1)}
            size="xs"
            min={0}
            max={2_000}
            clampBehavior="strict"
            hideControls
            value={padding[side]}
            onChange={(value) => change({ part: 'style', name: 'padding' }, { ...padding, [side]: Number(value) })}
          />
        ))}
      </div>
    </fieldset>
  );
}
