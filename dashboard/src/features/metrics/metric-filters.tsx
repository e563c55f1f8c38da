import type { CustomMetricField } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, CloseButton, Input, Select, Stack, TextInput } from '@mantine/core';
import type { useForm } from '@mantine/form';
import { IconPlus } from '@tabler/icons-react';
import { fieldExamples, fieldLabels, flagOptions, isFlag } from './custom-metric-text.ts';
import type { MetricFormValues } from './custom-metric-values.ts';
import classes from './overview-page.module.css';

type FiltersForm = Pick<
  ReturnType<typeof useForm<MetricFormValues>>,
  'values' | 'key' | 'getInputProps' | 'insertListItem' | 'removeListItem' | 'setFieldValue'
>;

/** Values that counted events must have, one per field. `fields`: those that the chosen events have. */
export function MetricFilters({ form, fields }: { form: FiltersForm; fields: readonly CustomMetricField[] }) {
  const { filters } = form.values;
  const free = fields.filter((field) => field !== 'type' && !filters.some((filter) => filter.field === field));
  const [next] = free;
  const add = (field: CustomMetricField): void =>
    form.insertListItem('filters', { field, value: isFlag(field) ? 'true' : '' });
  return (
    <Stack gap="xs" align="stretch">
      <Input.Label>
        <Trans>Filters</Trans>
      </Input.Label>
      <Input.Description>
        <Trans>Only events that have all of these values are counted.</Trans>
      </Input.Description>
      {filters.map(({ field }, index) => (
        <div key={form.key(`filters.${index}`)} className={classes.filterRow}>
          <Select
            aria-label={t`Field of filter ${index + 1}`}
            allowDeselect={false}
            data={[field, ...free].map((value) => ({ value, label: fieldLabels[value] }))}
            value={field}
            onChange={(chosen) => {
              if (chosen === null || chosen === field) return;
              form.setFieldValue(`filters.${index}`, { field: chosen, value: isFlag(chosen) ? 'true' : '' });
            }}
          />
          {isFlag(field) ? (
            <Select
              aria-label={t`Value of filter ${index + 1}`}
              allowDeselect={false}
              data={flagOptions}
              {...form.getInputProps(`filters.${index}.value`)}
            />
          ) : (
            <TextInput
              aria-label={t`Value of filter ${index + 1}`}
              placeholder={fieldExamples[field]}
              maxLength={256}
              autoComplete="off"
              spellCheck={false}
              {...form.getInputProps(`filters.${index}.value`)}
            />
          )}
          <CloseButton
            size="lg"
            aria-label={t`Remove filter ${fieldLabels[field]}`}
            onClick={() => form.removeListItem('filters', index)}
          />
        </div>
      ))}
      <div>
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<IconPlus size={14} aria-hidden />}
          disabled={next === undefined}
          onClick={() => next && add(next)}
        >
          <Trans>Add filter</Trans>
        </Button>
      </div>
    </Stack>
  );
}
