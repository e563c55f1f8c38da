import type { EmailPreview, EmailTemplateInput } from '@gatebook/js/admin';
import { Group, Switch, Text, useComputedColorScheme } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { ErrorNote } from '../../components/states.tsx';
import classes from './emails.module.css';
import { forceColorScheme } from './force-color-scheme.ts';

const debounceMs = 300;

type Props = {
  draft: EmailTemplateInput;
  preview: (draft: EmailTemplateInput) => Promise<EmailPreview>;
  onVariables: (names: readonly string[]) => void;
};

/** The email rendered with sample values, updated when typing pauses. */
export function TemplatePreview({ draft, preview, onVariables }: Props) {
  const [shown, setShown] = useState<EmailPreview | null>(null);
  const [error, setError] = useState<unknown>(undefined);
  const [isText, setText] = useState(false);
  const [isDark, setDark] = useState(useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark');
  const latest = useRef({ preview, onVariables });
  latest.current = { preview, onVariables };
  useEffect(() => {
    let isStale = false;
    const timer = setTimeout(() => {
      latest.current.preview(draft).then(
        (rendered) => {
          if (isStale) return;
          setShown(rendered);
          setError(undefined);
          latest.current.onVariables(rendered.variables);
        },
        (failure: unknown) => {
          if (!isStale) setError(failure);
        },
      );
    }, debounceMs);
    return () => {
      isStale = true;
      clearTimeout(timer);
    };
  }, [draft]);
  return (
    <section aria-label="Preview" className={classes.preview}>
      <div className={classes.previewHead}>
        <Text size="sm" fw={600} className={classes.subject}>
          {shown?.subject ?? 'Rendering preview…'}
        </Text>
        <Group gap="md">
          <Switch size="sm" label="Dark" checked={isDark} disabled={isText} onChange={() => setDark(!isDark)} />
          <Switch size="sm" label="Plain text" checked={isText} onChange={() => setText(!isText)} />
        </Group>
      </div>
      {error !== undefined && <ErrorNote title="The preview could not be rendered" error={error} />}
      {shown && isText && <pre className={classes.plain}>{shown.text}</pre>}
      {shown && !isText && (
        // The sandbox keeps scripts in a template from running.
        <iframe
          title="Email preview"
          sandbox=""
          srcDoc={forceColorScheme(shown.html, isDark ? 'dark' : 'light')}
          className={classes.frame}
        />
      )}
    </section>
  );
}
