import type { EmailPreview, EmailTemplateInput } from '@gatebook/js/admin';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { SegmentedControl, Switch, Text, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { ErrorNote } from '../../components/states.tsx';
import classes from './emails.module.css';
import { forceColorScheme, hasDarkVariant } from './force-color-scheme.ts';

const debounceMs = 300;
const widths = { desktop: 680, phone: 375 } as const;
const frameHeight = 640;

type Shown = 'desktop' | 'phone' | 'text';
const choices: { value: Shown; label: string }[] = [
  { value: 'desktop', label: t`Desktop` },
  { value: 'phone', label: t`Phone` },
  { value: 'text', label: t`Plain text` },
];

type Props = {
  /** null: it can't be rendered, and the last preview stays. */
  draft: EmailTemplateInput | null;
  preview: (draft: EmailTemplateInput) => Promise<EmailPreview>;
  onVariables: (names: readonly string[]) => void;
};

/** The email rendered with sample values, updated when typing pauses. */
export function TemplatePreview({ draft, preview, onVariables }: Props) {
  const { rendered, error } = usePreview(draft, preview, onVariables);
  const [shown, setShown] = useState<Shown>('desktop');
  const [isDark, setDark] = useState(useComputedColorScheme('light', { getInitialValueInEffect: false }) === 'dark');
  return (
    <section aria-label={t`Preview`} className={classes.preview}>
      <div className={classes.previewHead}>
        <SegmentedControl
          size="xs"
          transitionDuration={0}
          aria-label={t`Show preview as`}
          data={choices}
          value={shown}
          onChange={(value) => setShown(value as Shown)}
        />
        <Switch
          size="sm"
          label={t`Dark`}
          checked={isDark}
          disabled={shown === 'text'}
          onChange={() => setDark(!isDark)}
        />
      </div>
      <Text size="sm" fw={600} className={classes.subject} lang={rendered ? languageOf(rendered) : undefined}>
        {rendered?.subject ?? t`Rendering preview…`}
      </Text>
      {error !== undefined && <ErrorNote title={t`The preview could not be rendered`} error={error} />}
      {rendered && shown === 'text' && (
        <pre className={classes.plain} lang={languageOf(rendered)}>
          {rendered.text}
        </pre>
      )}
      {rendered && shown !== 'text' && (
        <Frame html={forceColorScheme(rendered.html, isDark ? 'dark' : 'light')} width={widths[shown]} />
      )}
      {rendered && isDark && shown !== 'text' && !hasDarkVariant(rendered.html) && (
        <Text size="sm" c="dimmed">
          <Trans>With colors of its own, the email looks the same in dark mode.</Trans>
        </Text>
      )}
    </section>
  );
}

/** That of the reader, which can be another one than the dashboard’s. */
const languageOf = ({ html }: EmailPreview): string =>
  new DOMParser().parseFromString(html, 'text/html').documentElement.lang;

/** The email as wide as on the device, made smaller where there is less room. */
function Frame({ html, width }: { html: string; width: number }) {
  const { ref, width: room } = useElementSize();
  const scale = room > 0 ? Math.min(1, room / width) : 1;
  return (
    <div ref={ref} className={classes.room} style={{ height: frameHeight * scale }}>
      {/* The sandbox keeps scripts in a template from running. */}
      <iframe
        title={t`Email preview`}
        sandbox=""
        srcDoc={html}
        className={classes.frame}
        style={{ width, height: frameHeight, transform: `scale(${scale})` }}
      />
    </div>
  );
}

function usePreview(draft: Props['draft'], preview: Props['preview'], onVariables: Props['onVariables']) {
  const [rendered, setRendered] = useState<EmailPreview | null>(null);
  const [error, setError] = useState<unknown>(undefined);
  const latest = useRef({ preview, onVariables });
  latest.current = { preview, onVariables };
  useEffect(() => {
    if (!draft) return;
    let isStale = false;
    const timer = setTimeout(() => {
      latest.current.preview(draft).then(
        (answer) => {
          if (isStale) return;
          setRendered(answer);
          setError(undefined);
          latest.current.onVariables(answer.variables);
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
  return { rendered, error };
}
