import { errorText } from '@gatebook/js/error-text';
import { rejectedPasswordFault } from '@gatebook/js/validation';
import { useRef, useState } from 'react';
import { useAction } from '../../use-action.ts';
import { useResource } from '../../use-resource.ts';
import { DeadLinkCard, PasswordResetCard, UnknownErrorCard } from '../cards.tsx';
import { useHandler } from '../context.ts';
import { Button, ErrorNote } from '../controls.tsx';
import { Card, LoadingCard } from '../frame.tsx';
import { type NewPasswordFaults, NewPasswordFields, newPasswordFaults } from '../new-password-fields.tsx';
import { asSubmit } from '../submit.ts';
import { codeFault } from '../words.ts';

const title = 'Set a new password';
const next = 'Ask for another one at the sign-in page, under “Forgot it?”.';

export function PasswordResetPage() {
  const { url } = useHandler();
  const code = url.searchParams.get('code');
  return code ? <CheckedReset code={code} /> : <DeadLinkCard fault="invalid" next="Open it again from the mail." />;
}

/** The look at the code uses nothing up. */
function CheckedReset({ code }: { code: string }) {
  const { app } = useHandler();
  const [isDone, setDone] = useState(false);
  const check = useResource(['password reset', code], async () => {
    await app.auth.checkPasswordResetCode(code);
    return true;
  });
  if (isDone) return <PasswordResetCard />;
  const fault = codeFault(check.error);
  if (fault !== null) return <DeadLinkCard fault={fault} next={next} />;
  if (check.error !== undefined) return <UnknownErrorCard error={check.error} />;
  if (check.value === undefined) return <LoadingCard title={title} label="Looking at your link" />;
  return <ResetForm code={code} onDone={() => setDone(true)} />;
}

function ResetForm({ code, onDone }: { code: string; onDone: () => void }) {
  const { app } = useHandler();
  const [password, setPassword] = useState('');
  const [repeated, setRepeated] = useState('');
  const [faults, setFaults] = useState<NewPasswordFaults>({});
  const refs = { password: useRef<HTMLInputElement>(null), repeated: useRef<HTMLInputElement>(null) };
  const reset = useAction(async () => {
    try {
      await app.auth.resetPassword({ code, password });
    } catch (error) {
      const fault = rejectedPasswordFault(error);
      if (fault === null) throw error;
      setFaults({ password: fault });
      return;
    }
    onDone();
  });
  const submit = () => {
    const found = newPasswordFaults(password, repeated);
    setFaults(found);
    if (!found.password && !found.repeated) void reset.run();
    else (found.password ? refs.password : refs.repeated).current?.focus();
  };
  const fault = codeFault(reset.error);
  if (fault !== null) return <DeadLinkCard fault={fault} next={next} />;
  return (
    <Card title={title} lead="Setting it signs you out on every device.">
      <form className="gbh-form" noValidate onSubmit={asSubmit(submit)}>
        {reset.error !== undefined && <ErrorNote>{errorText(reset.error)}</ErrorNote>}
        <NewPasswordFields
          label="New password"
          password={password}
          onPassword={setPassword}
          repeated={repeated}
          onRepeated={setRepeated}
          faults={faults}
          refs={refs}
        />
        <Button type="submit" isBusy={reset.isRunning}>
          Set this password
        </Button>
      </form>
    </Card>
  );
}
