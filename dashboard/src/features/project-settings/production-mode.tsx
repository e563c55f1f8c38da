import { findProductionModeFaults, type Project } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { Button, List, Stack, Text } from '@mantine/core';
import { ErrorNote } from '../../components/states.tsx';
import { StatusDot } from '../../components/status-dot.tsx';
import { Writing } from '../../components/writing.tsx';

type Props = { project: Project; change: (isProductionMode: boolean) => Promise<void> };

/** Lists the issues that the protocol forbids in production mode, and turns the mode on once there are none. */
export function ProductionMode({ project, change }: Props) {
  const issues = findProductionModeFaults(project);
  const action = useAction(change);
  const { isProductionMode } = project;
  return (
    <Stack gap="md" align="flex-start">
      <StatusDot tone={isProductionMode ? 'good' : 'off'}>{isProductionMode ? 'On' : 'Off'}</StatusDot>
      {!isProductionMode && issues.length > 0 && (
        <div>
          <Text size="sm" mb={6}>
            Resolve these issues to turn on production mode:
          </Text>
          <List size="sm" spacing={4}>
            {issues.map(({ message }) => (
              <List.Item key={message}>{message}</List.Item>
            ))}
          </List>
        </div>
      )}
      {action.error !== undefined && <ErrorNote error={action.error} />}
      <Writing>
        <Button
          variant="default"
          loading={action.isRunning}
          disabled={!isProductionMode && issues.length > 0}
          onClick={() => void action.run(!isProductionMode)}
        >
          {isProductionMode ? 'Turn off production mode' : 'Turn on production mode'}
        </Button>
      </Writing>
    </Stack>
  );
}
