import { errorText } from '@gatebook/js/error-text';
import { isKnownError } from '@gatebook/js/errors';
import { useState } from 'react';
import { useAction } from '../use-action.ts';
import { useHandler } from './context.ts';
import { Button, ErrorNote } from './controls.tsx';
import { noteLastUsed, readLastUsed } from './last-used.ts';
import { ProviderIcon } from './provider-icon.tsx';
import { providerName } from './provider-names.ts';
import { useReturns } from './use-returns.ts';

type Props = { providers: readonly { id: string }[]; verb: 'Sign in' | 'Sign up' };
/** More than these simulator two columns, by name alone. */
const MOST_IN_A_COLUMN = 3;

/** One button for each provider, in the order of the project (client.md §14.3). */
export function ProviderButtons(props: Props) {
  return <Buttons key={useReturns()} {...props} />;
}

function Buttons({ providers, verb }: Props) {
  const { app } = useHandler();
  const [lastUsed] = useState(readLastUsed);
  const [chosen, setChosen] = useState<string | null>(null);
  const leave = useAction((provider: string) => {
    setChosen(provider);
    noteLastUsed(provider);
    return app.oauth.signInWithOAuth(provider);
  });
  const isCompact = providers.length > MOST_IN_A_COLUMN;
  const isFramed = globalThis.self !== globalThis.top;
  return (
    <>
      {leave.error !== undefined && <ErrorNote>{leavingText(leave.error, chosen)}</ErrorNote>}
      <div className="gbh-providers" data-compact={isCompact}>
        {providers.map(({ id }) => {
          const isLeaving = leave.isRunning && chosen === id;
          const text = `${verb} with ${providerName(id)}`;
          return (
            <Button
              key={id}
              tone="plain"
              onClick={() => void leave.run(id)}
              isBusy={isLeaving}
              isDisabled={isFramed || leave.isRunning}
              {...(isCompact && { label: lastUsed === id ? `${text}, last used` : text })}
            >
              {!isLeaving && <ProviderIcon id={id} />}
              <span>{isCompact ? providerName(id) : text}</span>
              {lastUsed === id && <small className="gbh-last-used">Last used</small>}
            </Button>
          );
        })}
      </div>
      {isFramed && (
        <p className="gbh-hint">Providers do not open inside of another page. Open this one in a window of its own.</p>
      )}
    </>
  );
}

/** Why the page was not left for a provider. */
export function leavingText(error: unknown, provider: string | null): string {
  const name = provider === null ? 'this provider' : providerName(provider);
  if (isKnownError(error, 'OAUTH_PROVIDER_NOT_FOUND_OR_NOT_ENABLED'))
    return `${name} cannot be used here at the moment.`;
  return errorText(error);
}
