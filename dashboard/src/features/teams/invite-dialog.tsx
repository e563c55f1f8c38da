import { hasWildcard } from '@gatebook/domain/project/trusted-domains';
import type { ProjectConfig } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { DialogForm } from '../../components/dialog-form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { emailFault } from '../../lib/library-texts.ts';

type Values = { email: string; callbackUrl: string };
type Props = {
  isOpen: boolean;
  config: ProjectConfig;
  onClose: () => void;
  invite: (invitation: Values) => Promise<void>;
};

export function InviteDialog({ isOpen, ...form }: Props) {
  return (
    <FormDialog opened={isOpen} onClose={form.onClose} title={t`Invite member`}>
      <InviteForm {...form} />
    </FormDialog>
  );
}

function InviteForm({ config, onClose, invite }: Omit<Props, 'isOpen'>) {
  const form = useForm<Values>({
    initialValues: { email: '', callbackUrl: defaultInvitationUrl(config) },
    validate: { email: emailFault, callbackUrl: (url) => (URL.canParse(url) ? null : t`Enter a complete URL`) },
  });
  const action = useAction(({ email, callbackUrl }: Values) =>
    invite({ email: email.trim(), callbackUrl: callbackUrl.trim() }),
  );
  return (
    <DialogForm form={form} action={action} submitLabel={t`Send invitation`} onDone={onClose} onClose={onClose}>
      <TextInput label={t`Email`} type="email" data-autofocus {...form.getInputProps('email')} />
      <TextInput
        label={t`Invitation URL`}
        description={t`The page of your app that accepts invitations. Must be on a trusted domain.`}
        {...form.getInputProps('callbackUrl')}
      />
    </DialogForm>
  );
}

/** The default URL of the page: on the first trusted domain without wildcards, or else on localhost if allowed. */
function defaultInvitationUrl({ domains, allowLocalhost }: ProjectConfig): string {
  const first = domains.find(({ domain }) => !hasWildcard(domain));
  if (first) return `${first.domain}${first.handlerPath}/team-invitation`;
  return allowLocalhost ? 'http://localhost:3000/handler/team-invitation' : '';
}
