import type { AuditClient } from '@gatebook/js/admin';
import { useResource } from '@gatebook/react';
import { t } from '@lingui/core/macro';
import { CloseButton, NativeSelect, Switch, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { type FormEvent, useState } from 'react';
import classes from '../../components/audit/audit.module.css';
import { type AuditSearch, changeOf, searchFor, withoutFilters } from '../../components/audit/audit-search.ts';
import { FilterChips } from '../../components/filter-chips.tsx';
import { lateDialog } from '../../components/late-dialog.tsx';
import { LateSelect } from '../../components/late-select.tsx';
import { describeFilters } from './filter-texts.ts';
import { ranges } from './ranges.ts';
import { useFilterNames } from './use-filter-names.ts';

const RangeDialog = lateDialog(async () => (await import('./range-dialog.tsx')).RangeDialog);

type FiltersProps = {
  audit: AuditClient;
  projectId: string;
  search: AuditSearch;
  onChange: (change: Partial<AuditSearch>) => void;
};

/** Fields that add filters, and the filters as chips that remove them. */
export function AuditFilterBar({ audit, projectId, search, onChange }: FiltersProps) {
  const types = useResource(['audit-types', projectId], audit.listTypes);
  const names = useFilterNames(audit, projectId, search);
  const filters = describeFilters(search, names).map((filter, nth) => ({ ...filter, nth }));
  const options = typeOptions(types.value ?? [], search);
  const chosen = options.flatMap(({ items }) => items).find(({ value }) => value === search.type);
  const [isChoosingRange, setChoosingRange] = useState(false);
  const [text, setText] = useState('');
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (text.trim() === '') return;
    const isExcluded = text.trim().startsWith('-');
    onChange(changeOf(search, searchFor(text.trim().replace(/^-\s*/, '')), isExcluded));
    setText('');
  };
  return (
    <>
      <div className={classes.filters}>
        <form onSubmit={submit} className={classes.search}>
          <TextInput
            type="search"
            aria-label={t`Search by ID or IP address`}
            placeholder={t`Request ID, object ID or IP address`}
            leftSection={<IconSearch size={16} aria-hidden />}
            rightSection={
              text !== '' && <CloseButton size="sm" aria-label={t`Clear search`} onClick={() => setText('')} />
            }
            value={text}
            onChange={(event) => setText(event.currentTarget.value)}
          />
        </form>
        <LateSelect
          aria-label={t`Event type`}
          placeholder={t`All event types`}
          value={search.type ?? null}
          text={chosen?.label ?? ''}
          data={options}
          onChange={(type) => onChange({ type: type ?? undefined })}
        />
        <NativeSelect
          aria-label={t`Time`}
          value=""
          data={[{ value: '', label: t`Any time` }, ...ranges.map(({ label }) => label), customRange]}
          onChange={({ currentTarget: { value } }) =>
            value === customRange ? setChoosingRange(true) : onChange(rangeOf(value))
          }
        />
        <Switch
          label={t`Technical events`}
          checked={search.technical !== undefined}
          onChange={(event) => onChange({ technical: event.currentTarget.checked ? '1' : undefined })}
        />
      </div>
      <FilterChips
        filters={filters.map(({ nth, label }) => ({ field: String(nth), label }))}
        onRemove={(removed) =>
          onChange(
            withoutFilters(
              search,
              filters.filter(({ nth }) => removed.includes(String(nth))),
            ),
          )
        }
      />
      <RangeDialog
        isOpen={isChoosingRange}
        search={search}
        onChange={onChange}
        onClose={() => setChoosingRange(false)}
      />
    </>
  );
}

type Types = readonly { type: string; category: string; text: string; isTechnical: boolean }[];

/** Options by category; each group begins with all of the category. */
function typeOptions(types: Types, { technical }: AuditSearch) {
  const shown = types.filter(({ isTechnical }) => technical !== undefined || !isTechnical);
  return [...new Set(shown.map(({ category }) => category))].sort().map((category) => ({
    group: categoryName(category),
    items: [
      { value: `${category}.*`, label: t`All of ${categoryName(category)}` },
      ...shown.filter((each) => each.category === category).map(({ type, text }) => ({ value: type, label: text })),
    ],
  }));
}

const categoryNames: Readonly<Record<string, string>> = {
  user: t`user`,
  credential: t`credential`,
  session: t`session`,
  team: t`team`,
  permission: t`permission`,
  api_key: t`API key`,
  project: t`project`,
  project_key: t`project key`,
  webhook: t`webhook`,
  email: t`email`,
  internal: t`internal`,
  rejection: t`rejection`,
};
const categoryName = (category: string) => categoryNames[category] ?? category.replaceAll('_', ' ');

const customRange = t`From … until …`;

const rangeOf = (label: string): Partial<AuditSearch> => ({
  from: ranges.find((range) => range.label === label)?.from,
  until: undefined,
});
