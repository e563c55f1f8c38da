import { Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { LinkButton } from '../../components/app-link.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { Card } from '../../components/states.tsx';
import classes from './overview-page.module.css';

/** What a new project needs before its first user can sign up. */
export function FirstSteps({ projectId, apiUrl }: { projectId: string; apiUrl: string }) {
  return (
    <Card title="Let the first user in" labelId="first-steps-title">
      <ol className={classes.steps}>
        <li className={classes.step}>
          <div className={classes.stepHead}>
            <span className={classes.stepNumber}>1</span>Make a key
          </div>
          <Text size="sm" c="dimmed" mb="sm">
            Your app shows it with every call. The publishable one is for browsers, the secret one for your server.
          </Text>
          <LinkButton
            href={`/projects/${projectId}/keys?new=1`}
            size="xs"
            leftSection={<IconKey size={14} aria-hidden />}
          >
            New key
          </LinkButton>
        </li>
        <li className={classes.step}>
          <div className={classes.stepHead}>
            <span className={classes.stepNumber}>2</span>Tell your app where the gate is
          </div>
          <CopyField
            label="Environment of your app"
            isHeading={false}
            value={`NEXT_PUBLIC_STACK_API_URL=${apiUrl}\nNEXT_PUBLIC_STACK_PROJECT_ID=${projectId}`}
          />
        </li>
      </ol>
    </Card>
  );
}
