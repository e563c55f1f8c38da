import { t } from '@lingui/core/macro';
import { CloseButton, TextInput } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import classes from './search-field.module.css';

/** Typing pause after which the search runs. */
const DEBOUNCE_MS = 250;

type Props = { label: string; placeholder: string; value: string; onChange: (query: string) => void };

/** Reports the search text when typing pauses, and follows the URL when it changes, as on Back. */
export function SearchField({ label, placeholder, value, onChange }: Props) {
  const [text, setText] = useState(value);
  const reported = useRef(value);
  const latest = useRef(onChange);
  latest.current = onChange;
  useEffect(() => {
    if (value === reported.current) return;
    reported.current = value;
    setText(value);
  }, [value]);
  useEffect(() => {
    if (text.trim() === reported.current) return;
    const timer = setTimeout(() => {
      reported.current = text.trim();
      latest.current(reported.current);
    }, DEBOUNCE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return (
    <TextInput
      type="search"
      aria-label={label}
      placeholder={placeholder}
      className={classes.search}
      leftSection={<IconSearch size={16} aria-hidden />}
      value={text}
      onChange={(event) => setText(event.currentTarget.value)}
      rightSection={text !== '' && <CloseButton size="sm" aria-label={t`Clear search`} onClick={() => setText('')} />}
    />
  );
}
