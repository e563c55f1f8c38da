import type { CreateWebhookEndpoint, WebhookEndpoint, WebhookEndpointChanges } from '@gatebook/js/admin';
import { isKnownError } from '@gatebook/js/errors';
import { useAction, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { NumberInput, Radio, Stack, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { DialogForm } from '../../components/dialog-form.tsx';
import { TypeSelect } from '../../components/events/type-select.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { changesOf, creationOf, type EndpointValues, urlFault, valuesOf } from './endpoint-values.ts';
import { HeaderFields } from './header-fields.tsx';
import { orderings } from './texts.ts';
import { TypeExamples } from './type-examples.tsx';
import classes from './webhooks.module.css';
import type { WebhooksAccess } from './webhooks-access.ts';

type Props = Pick<WebhooksAccess, 'events'> & {
  /** null when the dialog is closed. */
  edited: WebhookEndpoint | 'new' | null;
  onClose: () => void;
  create?: (input: CreateWebhookEndpoint) => Promise<void>;
  update?: (changes: WebhookEndpointChanges) => Promise<void>;
};

/** Creates or edits an endpoint. */
export function EndpointDialog({ edited, onClose, ...form }: Props) {
  return (
    <FormDialog
      opened={edited !== null}
      onClose={onClose}
      title={edited === 'new' ? t`Add endpoint` : t`Edit endpoint`}
      size="lg"
    >
      {edited !== null && <EndpointForm endpoint={edited === 'new' ? null : edited} onClose={onClose} {...form} />}
    </FormDialog>
  );
}

type FormProps = Omit<Props, 'edited'> & { endpoint: WebhookEndpoint | null };

function EndpointForm({ endpoint, events, onClose, create, update }: FormProps) {
  const types = useResource(['event-types'], events.listEventTypes);
  const form = useForm<EndpointValues>({
    initialValues: valuesOf(endpoint),
    validate: {
      url: urlFault,
      headers: {
        name: (name) => (/^[\w!#$%&'*+.^`|~-]+$/.test(name.trim()) ? null : t`Enter the name of a header`),
        value: (value, { headers }, path) =>
          value.trim() !== '' || headers[Number(path.split('.')[1])]?.isKept ? null : t`Enter a value`,
      },
    },
  });
  const action = useAction(async (values: EndpointValues) => {
    try {
      await (endpoint ? update?.(changesOf(endpoint, values)) : create?.(creationOf(values)));
    } catch (error) {
      if (!isKnownError(error, 'WEBHOOK_URL_NOT_ALLOWED')) throw error;
      form.setFieldError('url', error.message);
      return false;
    }
  });
  return (
    <DialogForm
      form={form}
      action={action}
      submitLabel={endpoint ? t`Save` : t`Add endpoint`}
      onDone={onClose}
      onClose={onClose}
    >
      <TextInput
        label="URL"
        type="url"
        placeholder="https://example.com/webhooks"
        data-autofocus
        {...form.getInputProps('url')}
      />
      <TextInput label={t`Description`} placeholder={t`Billing`} {...form.getInputProps('description')} />
      <TypeSelect
        label={t`Events`}
        description={t`If you choose none, all events are sent, including types that are added later.`}
        placeholder={form.values.types.length === 0 ? t`All events` : ''}
        types={types.value ?? []}
        value={form.values.types}
        onChange={(chosen) => form.setFieldValue('types', chosen)}
      />
      {types.value && <TypeExamples types={types.value} patterns={form.values.types} />}
      <details className={classes.folded}>
        <summary>
          <Trans>Order, rate limit and headers</Trans>
        </summary>
        <Stack gap="md">
          <Radio.Group label={t`Order of deliveries`} {...form.getInputProps('ordering')}>
            <Stack gap="xs" mt={4}>
              {orderings.map(({ value, label, description }) => (
                <Radio key={value} value={value} label={label} description={description} />
              ))}
            </Stack>
          </Radio.Group>
          <NumberInput
            label={t`Requests per second`}
            description={t`The most that your server gets. Further deliveries wait.`}
            placeholder={t`No limit`}
            min={1}
            max={1_000}
            allowDecimal={false}
            clampBehavior="strict"
            hideControls
            {...form.getInputProps('rateLimit')}
          />
          <HeaderFields form={form} />
        </Stack>
      </details>
    </DialogForm>
  );
}
