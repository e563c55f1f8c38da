import type { ImportOptions, ImportsClient } from '@gatebook/js/admin';
import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Page } from '../../components/page.tsx';
import { Card, ErrorNote } from '../../components/states.tsx';
import { Writing } from '../../components/writing.tsx';
import { saveBlob } from '../../lib/save-file.ts';
import { type LeaveQuestion, useUnsaved } from '../../lib/unsaved.ts';
import { useTitle } from '../../lib/use-title.ts';
import classes from './import.module.css';
import { ImportForm } from './import-form.tsx';
import { ImportResult } from './import-result.tsx';
import { type ImportFile, type ImportProgress, runImport } from './run-import.ts';

type Chosen = { file: ImportFile; options: Omit<ImportOptions, 'isDryRun'> };
type Run = Chosen & { isDryRun: boolean; progress: ImportProgress | null } & (
    | { state: 'running' }
    | { state: 'stopped' }
    | { state: 'failed'; error: unknown }
    | { state: 'done'; report: Blob }
  );

const checkQuestion: LeaveQuestion = {
  title: t`Stop the dry run?`,
  text: t`The rest of the file is not checked.`,
  leave: t`Stop and leave`,
};
const importQuestion: LeaveQuestion = {
  title: t`Stop the import?`,
  text: t`Users who are already imported are kept.`,
  leave: t`Stop and leave`,
};

type Props = {
  imports: ImportsClient;
  projectId: string;
  projectName: string | undefined;
};

/** Imports the users of another product: choose a file, check it, import it. */
export function ImportPage({ imports, projectId, projectName }: Props) {
  useTitle(t`Import users`, projectName);
  const [run, setRun] = useState<Run | null>(null);
  const stop = useRef<AbortController>(null);
  useEffect(() => () => stop.current?.abort(), []);
  useUnsaved(run?.state === 'running', run?.isDryRun ? checkQuestion : importQuestion);

  async function start(chosen: Chosen, isDryRun: boolean): Promise<void> {
    const control = new AbortController();
    stop.current = control;
    let base: Omit<Run, 'state' | 'error' | 'report'> = { ...chosen, isDryRun, progress: null };
    setRun({ ...base, state: 'running' });
    const onProgress = (progress: ImportProgress) => {
      base = { ...base, progress };
      if (!control.signal.aborted) setRun({ ...base, state: 'running' });
    };
    try {
      const options = { ...chosen.options, isDryRun };
      const { importUsers } = imports;
      const report = await runImport({ file: chosen.file, options, importUsers, signal: control.signal, onProgress });
      setRun(control.signal.aborted ? { ...base, state: 'stopped' } : { ...base, state: 'done', report });
    } catch (error) {
      setRun({ ...base, state: 'failed', error });
    }
  }

  return (
    <Page
      title={t`Import users`}
      lead={t`From Auth0, Clerk, Firebase, Supabase, Stack Auth, CSV or JSON, with their password hashes. No emails are sent.`}
    >
      {run === null && (
        <Writing>
          <ImportForm onSubmit={(chosen) => void start(chosen, true)} />
        </Writing>
      )}
      {run && (
        <Card title={run.isDryRun ? t`Dry run` : t`Import`} labelId="import-title">
          <Stack gap="lg">
            <Progress run={run} />
            {run.state === 'failed' && (
              <ErrorNote
                title={run.isDryRun ? t`The file could not be checked` : t`The import was interrupted`}
                error={run.error}
              />
            )}
            {run.progress && <ImportResult progress={run.progress} isDryRun={run.isDryRun} projectId={projectId} />}
            <Actions run={run} start={start} stop={() => stop.current?.abort()} reset={() => setRun(null)} />
          </Stack>
        </Card>
      )}
    </Page>
  );
}

function Progress({ run }: { run: Run }) {
  const { file, progress, state } = run;
  const share = state === 'done' ? 100 : Math.floor(((progress?.bytes ?? 0) / Math.max(file.size, 1)) * 100);
  const words = { running: t`Reading`, stopped: t`Stopped`, failed: t`Interrupted`, done: t`Finished` };
  return (
    <div>
      <Text size="sm" mb={4}>
        {words[state]} {file.name}: {plural(progress?.counts.rows ?? 0, { one: '# row', other: '# rows' })}
      </Text>
      <progress value={share} max={100} aria-label={t`Progress`} className={classes.progress} />
    </div>
  );
}

type ActionsProps = {
  run: Run;
  start: (chosen: Chosen, isDryRun: boolean) => Promise<void>;
  stop: () => void;
  reset: () => void;
};

function Actions({ run, start, stop, reset }: ActionsProps) {
  const { file, options, isDryRun, state, progress } = run;
  const counts = progress?.counts;
  const toImport = (counts?.created ?? 0) + (counts?.completed ?? 0);
  if (state === 'running') {
    return (
      <div>
        <Button variant="default" onClick={stop}>
          <Trans>Stop</Trans>
        </Button>
      </div>
    );
  }
  return (
    <div className={classes.actions}>
      {isDryRun && state === 'done' && toImport > 0 && (
        <Button onClick={() => void start({ file, options }, false)}>
          <Trans>Import {plural(toImport, { one: '# user', other: '# users' })}</Trans>
        </Button>
      )}
      {(state === 'failed' || state === 'stopped') && (
        <Button onClick={() => void start({ file, options }, isDryRun)}>
          <Trans>Continue</Trans>
        </Button>
      )}
      {state === 'done' && <ReportButton run={run} />}
      <Button variant="default" onClick={reset}>
        <Trans>Choose another file</Trans>
      </Button>
    </div>
  );
}

function ReportButton({ run }: { run: Extract<Run, { state: 'done' }> }) {
  if (run.progress?.reasons.size === 0) return null;
  return (
    <Button variant="default" onClick={() => saveBlob(`${run.file.name}.report.csv`, run.report)}>
      <Trans>Download report</Trans>
    </Button>
  );
}
