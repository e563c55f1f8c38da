import { t } from '@lingui/core/macro';
import { TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import audit from '../../components/audit/audit.module.css';
import { type EventSearch, patternsIn, readSpan } from '../../components/events/event-search.ts';
import classes from '../../components/events/events.module.css';
import { typeSelectProps } from '../../components/events/type-select-props.ts';
import { FilterChips } from '../../components/filter-chips.tsx';
import { LateMultiSelect } from '../../components/late-select.tsx';
import { formatSpan } from '../../lib/format.ts';

type EventFiltersProps = {
  types: readonly { type: string }[];
  search: EventSearch;
  onChange: (change: Partial<EventSearch>) => void;
};

const chips = [
  { field: 'user', label: t`User` },
  { field: 'team', label: t`Team` },
] as const;

/** Fields that add filters. Users, teams and times are chips that remove them. */
export function EventFilterBar({ types, search, onChange }: EventFiltersProps) {
  const span = readSpan(search.time);
  const given = [
    ...chips.flatMap(({ field, label }) =>
      search[field] === undefined ? [] : [{ field, label: `${label}: ${search[field]}` }],
    ),
    ...(span
      ? [{ field: 'time', label: t`Time: ${formatSpan({ from: new Date(span.from), until: new Date(span.until) })}` }]
      : []),
  ];
  return (
    <>
      <div className={audit.filters}>
        <div className={classes.types}>
          <LateMultiSelect
            aria-label={t`Types`}
            placeholder={search.types === undefined ? t`All types` : ''}
            {...typeSelectProps({
              types,
              value: patternsIn(search.types),
              onChange: (patterns) => onChange({ types: patterns.join(',') || undefined }),
            })}
          />
        </div>
        <IdField label={t`User ID`} onSubmit={(user) => onChange({ user })} />
        <IdField label={t`Team ID`} onSubmit={(team) => onChange({ team })} />
      </div>
      <FilterChips
        filters={given}
        onRemove={(fields) => onChange(Object.fromEntries(fields.map((field) => [field, undefined])))}
      />
    </>
  );
}

const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

function IdField({ label, onSubmit }: { label: string; onSubmit: (id: string) => void }) {
  const [text, setText] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const id = text.trim().toLowerCase();
    if (id === '') return;
    if (uuid.test(id)) {
      setText('');
      onSubmit(id);
    } else setFault(t`Enter a complete ID`);
  };
  return (
    <form onSubmit={submit} className={classes.id}>
      <TextInput
        aria-label={label}
        placeholder={label}
        spellCheck={false}
        value={text}
        error={fault}
        onChange={(event) => {
          setText(event.currentTarget.value);
          setFault(null);
        }}
      />
    </form>
  );
}
