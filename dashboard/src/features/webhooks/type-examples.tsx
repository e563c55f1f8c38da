import type { EventTypeDescription } from '@gatebook/js/events';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { NativeSelect, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { JsonView } from '../../components/events/json-view.tsx';
import { typesMatching } from '../../components/events/type-patterns.ts';
import classes from './webhooks.module.css';

type TypeExamplesProps = {
  types: readonly EventTypeDescription[];
  /** The chosen types and wildcards; none: all. */
  patterns: readonly string[];
};

/** What a server gets for the chosen types. */
export function TypeExamples({ types, patterns }: TypeExamplesProps) {
  const [isOpen, setOpen] = useState(false);
  const [chosen, setChosen] = useState<string | null>(null);
  const offered = typesMatching(types, patterns);
  const shown = offered.find(({ type }) => type === chosen) ?? offered[0];
  if (!shown) return null;
  return (
    <details className={classes.folded} onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <Trans>Example payloads</Trans>
      </summary>
      {isOpen && (
        <Stack gap="sm">
          <NativeSelect
            aria-label={t`Type of the example`}
            data={offered.map(({ type }) => type)}
            value={shown.type}
            onChange={(event) => setChosen(event.currentTarget.value)}
          />
          <Text size="sm" c="dimmed">
            {shown.description}
          </Text>
          <JsonView label={t`example of ${shown.type}`} value={exampleBody(shown)} />
        </Stack>
      )}
    </details>
  );
}

/** The body of a delivery. */
const exampleBody = ({ type, example }: EventTypeDescription) => ({
  type,
  timestamp: '2026-01-25T12:00:00.000Z',
  data: example,
  id: 'evt_00pn3k5r9c7ya8v2s4t6w8x0z1b3d5f7',
  cursor: '…',
});
