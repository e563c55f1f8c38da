import { newPasswordFault, passwordLength } from '@gatebook/js/validation';
import type { RefObject } from 'react';
import { PasswordField } from './controls.tsx';

export type NewPasswordFaults = { password?: string | null; repeated?: string | null };

/** `repeated` is null where it is typed once. */
export function newPasswordFaults(password: string, repeated: string | null): NewPasswordFaults {
  const isSame = repeated === null || repeated === password;
  return { password: newPasswordFault(password), repeated: isSame ? null : 'The passwords differ' };
}

type NewPasswordProps = {
  label: string;
  password: string;
  onPassword: (password: string) => void;
  /** Null: typed once. */
  repeated: string | null;
  onRepeated: (password: string) => void;
  faults: NewPasswordFaults;
  refs: Record<'password' | 'repeated', RefObject<HTMLInputElement | null>>;
};

export function NewPasswordFields({
  label,
  password,
  onPassword,
  repeated,
  onRepeated,
  faults,
  refs,
}: NewPasswordProps) {
  return (
    <>
      <PasswordField
        label={label}
        name="new-password"
        autoComplete="new-password"
        hint={`${passwordLength.min} to ${passwordLength.max} characters`}
        value={password}
        onChange={onPassword}
        fault={faults.password ?? null}
        inputRef={refs.password}
      />
      {repeated !== null && (
        <PasswordField
          label="Repeat the password"
          name="repeated-password"
          autoComplete="new-password"
          value={repeated}
          onChange={onRepeated}
          fault={faults.repeated ?? null}
          inputRef={refs.repeated}
        />
      )}
    </>
  );
}
