import { type EnabledProvider, providerName } from '@gatebook/js/core';
import { isKnownError } from '@gatebook/js/errors';
import { useState } from 'react';
import { type Texts, useTexts } from '../texts/use-texts.ts';
import { useAction } from '../use-action.ts';
import { useHandler } from './context.ts';
import { Button, ErrorNote } from './controls.tsx';
import { readLastUsed } from './last-used.ts';
import { LastUsed } from './last-used-tag.tsx';
import { ProviderIcon } from './provider-icon.tsx';
import { useRestoreCount } from './use-restore-count.ts';

type Props = {
  providers: readonly EnabledProvider[];
  type: 'sign-in' | 'sign-up';
  /** By default leaves the page for the provider. */
  signIn?: (provider: string) => Promise<unknown>;
};
/** With more providers, the buttons form two columns and show only the provider's name. */
const MOST_IN_A_COLUMN = 3;

/** One button per provider, in the project's order (protocol, client §14.3). */
export function ProviderButtons(props: Props) {
  return <Buttons key={useRestoreCount()} {...props} />;
}

function Buttons({ providers, type, signIn }: Props) {
  const texts = useTexts();
  const { t } = texts;
  const { app, storeLastUsed } = useHandler();
  const [lastUsed] = useState(readLastUsed);
  const [chosen, setChosen] = useState<string | null>(null);
  const leave = useAction((provider: string) => {
    setChosen(provider);
    storeLastUsed(provider);
    return (signIn ?? app.oauth.signInWithOAuth)(provider);
  });
  const isCompact = providers.length > MOST_IN_A_COLUMN;
  const isFramed = globalThis.self !== globalThis.top;
  return (
    <>
      {leave.error !== undefined && <ErrorNote>{providerErrorText(texts, leave.error, chosen, providers)}</ErrorNote>}
      <div className="gbh-providers" data-compact={isCompact}>
        {providers.map(({ id }) => {
          const isLeaving = leave.isRunning && chosen === id;
          const name = providerName(id, providers);
          const text =
            type === 'sign-in'
              ? t('Sign in with {provider}', { provider: name })
              : t('Sign up with {provider}', { provider: name });
          return (
            <Button
              key={id}
              tone="plain"
              onClick={() => void leave.run(id)}
              isBusy={isLeaving}
              isDisabled={isFramed || leave.isRunning}
              {...(isCompact && { label: lastUsed === id ? t('{method}, last used', { method: text }) : text })}
            >
              {!isLeaving && <ProviderIcon id={id} />}
              <span>{isCompact ? name : text}</span>
              {lastUsed === id && <LastUsed />}
            </Button>
          );
        })}
      </div>
      {isFramed && (
        <p className="gbh-hint">
          {t('Providers cannot be opened inside an embedded page. Open this page in its own window.')}
        </p>
      )}
    </>
  );
}

/** Why the redirect to the provider failed. */
export function providerErrorText(
  { t, errorText }: Texts,
  error: unknown,
  provider: string | null,
  providers: readonly EnabledProvider[],
): string {
  const name = provider === null ? t('This provider') : providerName(provider, providers);
  if (isKnownError(error, 'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED'))
    return t('{provider} is not available right now.', { provider: name });
  return errorText(error);
}
