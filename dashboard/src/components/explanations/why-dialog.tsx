import type { ExplanationsClient } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Modal } from '@mantine/core';
import { BlockLoading, ErrorNote } from '../states.tsx';
import { Explanation } from './explanation.tsx';

type Question = { userId: string; permissionId: string; teamId: string | null };
export type WhyProps = Question & {
  explanations: Pick<ExplanationsClient, 'permission'>;
  projectId: string;
  /** Prepares a grant, which is previewed before it is saved. */
  onGrant: (permissionId: string) => void;
};

export function WhyDialog({ isOpen, onClose, onGrant, ...props }: WhyProps & { isOpen: boolean; onClose: () => void }) {
  const { permissionId } = props;
  const grant = (id: string) => {
    onClose();
    onGrant(id);
  };
  return (
    <Modal opened={isOpen} onClose={onClose} title={t`Why ${permissionId}?`} size="lg">
      <LoadedExplanation onGrant={grant} {...props} />
    </Modal>
  );
}

function LoadedExplanation({ explanations, projectId, userId, permissionId, teamId, onGrant }: WhyProps) {
  const found = useResource(['explanation', projectId, userId, permissionId, teamId ?? ''], () =>
    explanations.permission({ userId, permissionId, ...(teamId !== null && { teamId }) }),
  );
  if (found.error !== undefined) {
    return <ErrorNote error={found.error} onRetry={found.refresh} isRetrying={found.isFetching} />;
  }
  if (!found.value) return <BlockLoading height={120} label={t`Loading explanation`} />;
  return <Explanation explanation={found.value} projectId={projectId} onGrant={onGrant} />;
}
