import type { OAuthProvider, ProjectClient, TestedProvider } from '@gatebook/js/admin';
import { useAction } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, List, NativeSelect, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { CopyField } from '../../components/copy-field.tsx';
import { DialogForm } from '../../components/dialog-form.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { required } from '../../lib/required.ts';
import { methodName } from '../../lib/sign-in-methods.ts';
import { ClientFields } from './client-fields.tsx';
import { ConnectionTest } from './connection-test.tsx';
import { providerSetups } from './provider-setup.ts';

type Id = OAuthProvider['id'];
const ids: readonly Id[] = [
  'google',
  'github',
  'microsoft',
  'apple',
  'discord',
  'facebook',
  'gitlab',
  'bitbucket',
  'linkedin',
  'spotify',
  'x',
];
/** Providers for which a Gatebook installation can have test keys that all projects share. */
const withSharedKeys: readonly Id[] = ['google', 'github', 'microsoft', 'spotify'];

const canShareKeys = (id: Id): boolean => withSharedKeys.includes(id);
/** Only the providers with shared keys offer a choice. */
const isStandardOf = ({ id, type }: Pick<OAuthProvider, 'id' | 'type'>): boolean =>
  type === 'standard' || !canShareKeys(id);

type Props = {
  /** null when the dialog is closed. */
  edited: OAuthProvider | 'new' | null;
  taken: readonly Id[];
  apiUrl: string;
  onClose: () => void;
  testProvider: ProjectClient['testProvider'];
  save: (provider: OAuthProvider) => Promise<void>;
};

export function ProviderDialog({ edited, ...form }: Props) {
  const title = edited === 'new' || edited === null ? t`Add provider` : methodName(edited.id);
  return (
    <FormDialog opened={edited !== null} onClose={form.onClose} title={title} size="lg">
      {edited !== null && <ProviderForm provider={edited === 'new' ? null : edited} {...form} />}
    </FormDialog>
  );
}

type Values = Required<OAuthProvider>;
type FormProps = Omit<Props, 'edited'> & { provider: OAuthProvider | null };

function ProviderForm({ provider, taken, apiUrl, onClose, testProvider, save }: FormProps) {
  const free = ids.filter((id) => !taken.includes(id));
  const form = useForm<Values>({
    initialValues: {
      id: free[0] ?? 'google',
      type: 'standard',
      clientId: '',
      clientSecret: '',
      facebookConfigId: '',
      microsoftTenantId: '',
      ...provider,
    },
    validate: {
      clientId: (text, values) => (isStandardOf(values) ? required(t`Enter the client ID`)(text) : null),
      clientSecret: (text, values) => (isStandardOf(values) ? required(t`Enter the client secret`)(text) : null),
    },
  });
  const { id } = form.values;
  const isStandard = isStandardOf(form.values);
  const action = useAction((values: Values) =>
    save(isStandard ? toStandardProvider(values) : { id: values.id, type: 'shared' }),
  );
  return (
    <DialogForm
      form={form}
      action={action}
      submitLabel={provider ? t`Save` : t`Add provider`}
      onDone={onClose}
      onClose={onClose}
    >
      {!provider && (
        <NativeSelect
          label={t`Provider`}
          data={free.map((value) => ({ value, label: methodName(value) }))}
          {...form.getInputProps('id')}
        />
      )}
      {canShareKeys(id) && (
        <NativeSelect
          label={t`Keys`}
          data={[
            { value: 'standard', label: t`Your own keys` },
            { value: 'shared', label: t`Shared test keys (development only)` },
          ]}
          {...form.getInputProps('type')}
        />
      )}
      {!isStandard && (
        <Text size="sm" c="dimmed">
          <Trans>
            Sign-in works, but extra scopes and provider access tokens do not. This installation must have shared keys
            for the provider.
          </Trans>
        </Text>
      )}
      {isStandard && (
        <>
          <SetupSteps id={id} />
          <CopyField label={t`Callback URL`} value={`${apiUrl}/api/v1/auth/oauth/callback/${id}`} />
          <ClientFields form={form} />
          {id === 'facebook' && <TextInput label={t`Configuration ID`} {...form.getInputProps('facebookConfigId')} />}
          {id === 'microsoft' && (
            <TextInput
              label={t`Tenant ID`}
              description={t`An organization’s ID allows only its accounts; “common” allows all. Leave empty for personal accounts only.`}
              {...form.getInputProps('microsoftTenantId')}
            />
          )}
        </>
      )}
      {isStandard && (
        <ConnectionTest
          key={JSON.stringify(form.values)}
          isReady={form.values.clientId.trim() !== '' && form.values.clientSecret.trim() !== ''}
          test={() => testProvider(toStandardProvider(form.values))}
        />
      )}
    </DialogForm>
  );
}

function SetupSteps({ id }: { id: Id }) {
  const { console: href, steps } = providerSetups[id];
  return (
    <Text size="sm" component="div">
      <Anchor href={href} target="_blank" rel="noreferrer" inherit>
        <Trans>Open the console of {methodName(id)}</Trans>
      </Anchor>
      <List type="ordered" size="sm" mt={4} spacing={2}>
        {steps.map((step) => (
          <List.Item key={step}>{step}</List.Item>
        ))}
      </List>
    </Text>
  );
}

/** Drops empty fields and fields of other providers. */
function toStandardProvider({
  id,
  clientId,
  clientSecret,
  facebookConfigId,
  microsoftTenantId,
}: Values): OAuthProvider & TestedProvider {
  return {
    id,
    type: 'standard',
    clientId: clientId.trim(),
    clientSecret: clientSecret.trim(),
    ...(id === 'facebook' && facebookConfigId.trim() !== '' && { facebookConfigId: facebookConfigId.trim() }),
    ...(id === 'microsoft' && microsoftTenantId.trim() !== '' && { microsoftTenantId: microsoftTenantId.trim() }),
  };
}
