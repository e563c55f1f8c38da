import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import { CopyField } from '../../components/copy-field.tsx';
import { Card } from '../../components/states.tsx';
import { examples } from './verification-code.ts';
import classes from './webhooks.module.css';

/** Code for receivers, by language. */
export function VerificationCard() {
  const [chosen, setChosen] = useState(examples[0]);
  return (
    <Card title={t`Verify deliveries`} labelId="verification-title">
      <Text size="sm" mb="md">
        <Trans>
          Check the signature of each request with the signing secret, so that nobody else can send events to your
          server. The libraries <code>standardwebhooks</code> and <code>svix</code> do the same. Answer with a 2xx
          status within 15 seconds; everything else is tried again.
        </Trans>
      </Text>
      <fieldset aria-label={t`Language`} className={classes.languages}>
        {examples.map((example) => (
          <Button
            key={example.language}
            size="compact-sm"
            variant={example === chosen ? 'light' : 'subtle'}
            aria-pressed={example === chosen}
            onClick={() => setChosen(example)}
          >
            {example.language}
          </Button>
        ))}
      </fieldset>
      {chosen && <CopyField label={t`code for ${chosen.language}`} value={chosen.code} isHeading={false} />}
    </Card>
  );
}
