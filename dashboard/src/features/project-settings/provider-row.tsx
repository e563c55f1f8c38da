import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { Row } from '../../components/rows.tsx';

type Props = { name: string; note: string | undefined; onEdit: () => void; onRemove: () => void };

/** A provider in a list, with its actions. */
export function ProviderRow({ name, note, onEdit, onRemove }: Props) {
  return (
    <Row
      small={note}
      actions={
        <>
          <Button size="compact-sm" variant="subtle" onClick={onEdit} aria-label={t`Edit ${name}`}>
            <Trans>Edit</Trans>
          </Button>
          <Button size="compact-sm" variant="subtle" color="red" onClick={onRemove} aria-label={t`Remove ${name}`}>
            <Trans>Remove</Trans>
          </Button>
        </>
      }
    >
      {name}
    </Row>
  );
}
