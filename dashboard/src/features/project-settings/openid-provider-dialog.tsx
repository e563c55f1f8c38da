import type { OpenIdProvider, OpenIdProvidersClient, ProjectClient, StoredOpenIdProvider } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { CopyField } from '../../components/copy-field.tsx';
import { DialogForm } from '../../components/dialog-form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { required } from '../../lib/required.ts';
import { ClientFields } from './client-fields.tsx';
import { ConnectionTest } from './connection-test.tsx';
import { IssuerTest } from './issuer-test.tsx';

type Props = {
  /** null when the dialog is closed. */
  edited: StoredOpenIdProvider | 'new' | null;
  taken: readonly string[];
  apiUrl: string;
  onClose: () => void;
  testIssuer: OpenIdProvidersClient['testIssuer'];
  testProvider: ProjectClient['testProvider'];
  save: (provider: OpenIdProvider) => Promise<void>;
};

export function OpenIdProviderDialog({ edited, ...form }: Props) {
  const title = edited === 'new' || edited === null ? t`Add OpenID Connect provider` : edited.displayName;
  return (
    <FormDialog opened={edited !== null} onClose={form.onClose} title={title} size="lg">
      {edited !== null && <ProviderForm provider={edited === 'new' ? null : edited} {...form} />}
    </FormDialog>
  );
}

/** A suggestion: lower-case letters, digits and dashes. */
const toId = (name: string) =>
  name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 63)
    .replace(/^-|-$/g, '');

const trimmed = ({ id, displayName, issuer, clientId, clientSecret }: OpenIdProvider): OpenIdProvider => ({
  id: id.trim(),
  displayName: displayName.trim(),
  issuer: issuer.trim(),
  clientId: clientId.trim(),
  clientSecret: clientSecret.trim(),
});

type FormProps = Omit<Props, 'edited'> & { provider: StoredOpenIdProvider | null };

function ProviderForm({ provider, taken, apiUrl, onClose, testIssuer, testProvider, save }: FormProps) {
  const form = useForm<OpenIdProvider>({
    initialValues: {
      id: provider?.id ?? '',
      displayName: provider?.displayName ?? '',
      issuer: provider?.issuer ?? '',
      clientId: provider?.clientId ?? '',
      clientSecret: provider?.clientSecret ?? '',
    },
    validate: {
      id: (id) => (!provider && taken.includes(id) ? t`Another provider has this ID` : required(t`Enter an ID`)(id)),
      displayName: required(t`Enter a name`),
      issuer: required(t`Enter the issuer URL`),
      clientId: required(t`Enter the client ID`),
      clientSecret: required(t`Enter the client secret`),
    },
  });
  const action = useAction((values: OpenIdProvider) => save(trimmed(values)));
  const { id, displayName, issuer } = form.values;
  const name = form.getInputProps('displayName');
  return (
    <DialogForm
      form={form}
      action={action}
      submitLabel={provider ? t`Save` : t`Add provider`}
      onDone={onClose}
      onClose={onClose}
    >
      <TextInput
        label={t`Name`}
        description={t`Shown on the sign-in button.`}
        maxLength={64}
        {...name}
        onChange={(event) => {
          const { value } = event.currentTarget;
          if (!provider && id === toId(displayName)) form.setFieldValue('id', toId(value));
          form.setFieldValue('displayName', value);
        }}
      />
      <TextInput
        label="ID"
        description={t`Lower-case letters, digits and dashes. Accounts belong to it, so it can’t be changed later.`}
        disabled={provider !== null}
        maxLength={63}
        {...form.getInputProps('id')}
      />
      <CopyField label={t`Callback URL`} value={`${apiUrl}/api/v1/auth/oauth/callback/${id || '…'}`} />
      <TextInput
        label={t`Issuer URL`}
        placeholder="https://id.example.com"
        autoComplete="off"
        {...form.getInputProps('issuer')}
      />
      {provider && issuer.trim() !== provider.issuer && (
        <Text size="sm">
          <Trans>
            Accounts are found by their ID at the provider. Change the issuer only if the new one has the same users
            with the same IDs. For any other provider, add a new one.
          </Trans>
        </Text>
      )}
      <IssuerTest key={issuer} issuer={issuer.trim()} testIssuer={testIssuer} />
      <ClientFields form={form} />
      <ConnectionTest
        key={JSON.stringify(form.values)}
        isReady={form.isValid()}
        test={() => testProvider({ ...trimmed(form.values), type: 'openid' })}
      />
      <Text size="sm" c="dimmed">
        <Trans>
          The provider decides which email addresses count as verified. Add only a provider that you trust with the
          accounts of this project.
        </Trans>
      </Text>
    </DialogForm>
  );
}
