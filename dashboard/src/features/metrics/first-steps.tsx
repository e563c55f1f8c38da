import { Text } from '@mantine/core';
import { IconKey } from '@tabler/icons-react';
import { LinkButton } from '../../components/app-link.tsx';
import { CopyField } from '../../components/copy-field.tsx';
import { Card } from '../../components/states.tsx';
import classes from './overview-page.module.css';

/** Setup steps for a project that has no users yet. */
export function FirstSteps({ projectId, apiUrl }: { projectId: string; apiUrl: string }) {
  return (
    <Card title="Get started" labelId="first-steps-title">
      <ol className={classes.steps}>
        <li className={classes.step}>
          <div className={classes.stepHead}>
            <span className={classes.stepNumber}>1</span>Create a key
          </div>
          <Text size="sm" c="dimmed" mb="sm">
            Your app sends it with every request. Use the publishable key in browsers and the secret key on your
            servers.
          </Text>
          <LinkButton
            href={`/projects/${projectId}/keys?new=1`}
            size="xs"
            leftSection={<IconKey size={14} aria-hidden />}
          >
            Create key
          </LinkButton>
        </li>
        <li className={classes.step}>
          <div className={classes.stepHead}>
            <span className={classes.stepNumber}>2</span>Connect your app
          </div>
          <CopyField
            label="environment variables"
            isHeading={false}
            value={`NEXT_PUBLIC_STACK_API_URL=${apiUrl}\nNEXT_PUBLIC_STACK_PROJECT_ID=${projectId}`}
          />
        </li>
      </ol>
    </Card>
  );
}
