import { findProductionModeFaults, type Project } from '@gatebook/js/projects';
import { useAction } from '@gatebook/react/use-action';
import { Button, List, Stack, Text } from '@mantine/core';
import { ErrorNote } from '../../components/states.tsx';
import { StatusDot } from '../../components/status-dot.tsx';

type Props = { project: Project; change: (isProductionMode: boolean) => Promise<void> };

/** Checks what the protocol asks of a project in production, and switches when nothing stands against it. */
export function ProductionMode({ project, change }: Props) {
  const faults = findProductionModeFaults(project);
  const action = useAction(change);
  const { isProductionMode } = project;
  return (
    <Stack gap="md" align="flex-start">
      <StatusDot tone={isProductionMode ? 'good' : 'off'}>{isProductionMode ? 'On' : 'Off'}</StatusDot>
      {!isProductionMode && faults.length > 0 && (
        <div>
          <Text size="sm" mb={6}>
            Before it can be switched on:
          </Text>
          <List size="sm" spacing={4}>
            {faults.map(({ message }) => (
              <List.Item key={message}>{message}</List.Item>
            ))}
          </List>
        </div>
      )}
      {action.error !== undefined && <ErrorNote error={action.error} />}
      <Button
        variant="default"
        loading={action.isRunning}
        disabled={!isProductionMode && faults.length > 0}
        onClick={() => void action.run(!isProductionMode)}
      >
        {isProductionMode ? 'Switch off' : 'Switch on'}
      </Button>
    </Stack>
  );
}
