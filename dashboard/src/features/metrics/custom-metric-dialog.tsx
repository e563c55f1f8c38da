import type { CreateCustomMetric, CustomMetric, CustomMetricList } from '@gatebook/js/admin';
import type { EventMethods } from '@gatebook/js/events';
import { useAction, useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { Select, Text, TextInput } from '@mantine/core';
import { useForm } from '@mantine/form';
import { DialogForm } from '../../components/dialog-form.tsx';
import { TypeSelect } from '../../components/events/type-select.tsx';
import { FormDialog } from '../../components/form-dialog.tsx';
import { countOptions, fieldLabels, unitOptions } from './custom-metric-text.ts';
import { definitionOf, fieldsOf, type MetricFormValues, valuesOf } from './custom-metric-values.ts';
import { MetricFilters } from './metric-filters.tsx';
import classes from './overview-page.module.css';

type Props = {
  /** null when the dialog is closed. */
  edited: CustomMetric | 'new' | null;
  fields: CustomMetricList['fields'];
  events: Pick<EventMethods, 'listEventTypes'>;
  onClose: () => void;
  save: (definition: CreateCustomMetric) => Promise<void>;
};

/** Defines or changes a metric. */
export function CustomMetricDialog({ edited, onClose, ...form }: Props) {
  const title = edited === 'new' ? t`Add metric` : t`Edit metric`;
  return (
    <FormDialog opened={edited !== null} onClose={onClose} title={title} size="lg">
      {edited !== null && <MetricForm metric={edited === 'new' ? null : edited} onClose={onClose} {...form} />}
    </FormDialog>
  );
}

type FormProps = Omit<Props, 'edited'> & { metric: CustomMetric | null };

function MetricForm({ metric, fields, events, onClose, save }: FormProps) {
  const types = useResource(['event-types'], events.listEventTypes);
  const form = useForm<MetricFormValues>({
    initialValues: valuesOf(metric),
    validate: {
      displayName: (name) => (name.trim() === '' ? t`Enter a name` : null),
      eventTypes: (chosen) =>
        chosen.length === 0 ? t`Choose at least one type` : chosen.length > 10 ? t`Choose at most ten types` : null,
      groupBy: (field, { eventTypes }) =>
        field !== null && !fieldsOf(fields, eventTypes).includes(field)
          ? t`Events of these types do not have it`
          : null,
      filters: { value: (value) => (value.trim() === '' ? t`Enter a value` : null) },
    },
  });
  const { eventTypes, groupBy } = form.values;
  const known = fieldsOf(fields, eventTypes);
  const action = useAction((values: MetricFormValues) => save(definitionOf(values)));
  return (
    <DialogForm
      form={form}
      action={action}
      submitLabel={metric ? t`Save` : t`Add metric`}
      onDone={onClose}
      onClose={onClose}
    >
      <TextInput
        label={t`Name`}
        placeholder={t`Passkey sign-ins`}
        maxLength={100}
        data-autofocus
        {...form.getInputProps('displayName')}
      />
      <TypeSelect
        label={t`Events`}
        placeholder={eventTypes.length === 0 ? t`Choose types` : ''}
        types={types.value ?? []}
        value={eventTypes}
        onChange={(chosen) => form.setFieldValue('eventTypes', chosen)}
        error={form.errors.eventTypes}
      />
      <div className={classes.formRow}>
        <Select
          label={t`Count`}
          description={t`Distinct users count once per interval.`}
          allowDeselect={false}
          data={[...countOptions]}
          {...form.getInputProps('count')}
        />
        <Select
          label={t`Interval`}
          description={t`In UTC. Weeks begin on Monday.`}
          allowDeselect={false}
          data={[...unitOptions]}
          {...form.getInputProps('unit')}
        />
      </div>
      <Select
        label={t`Group by`}
        placeholder={eventTypes.length === 0 ? t`Choose events first` : t`No groups`}
        clearable
        clearButtonProps={{ 'aria-label': t`Clear group` }}
        disabled={eventTypes.length === 0}
        data={(groupBy && !known.includes(groupBy) ? [...known, groupBy] : known).map((value) => ({
          value,
          label: fieldLabels[value],
        }))}
        {...form.getInputProps('groupBy')}
      />
      <MetricFilters form={form} fields={known} />
      <Text size="sm" c="dimmed">
        {metric
          ? t`Unless only the name changes, all past events are counted again.`
          : t`Past events are counted first, from the first one on.`}
      </Text>
    </DialogForm>
  );
}
