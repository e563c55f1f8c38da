import { newPasswordFault, passwordLength, rejectedPasswordFault } from '@gatebook/js/core';
import { type ReactNode, type RefObject, useRef, useState } from 'react';
import { useTexts } from '../texts/use-texts.ts';
import { useProject } from './context.ts';
import { PasswordField } from './controls.tsx';
import { StrengthMeter } from './strength-meter.tsx';

type NewPassword = {
  password: string;
  /** Shows what is wrong. Returns the first input to correct, or null if the password is valid. */
  validate: () => RefObject<HTMLInputElement | null> | null;
  /** Shows the server's rejection and selects the password. @throws every error that is not about the password */
  showRejection: (error: unknown) => void;
  fields: ReactNode;
};

type Options = {
  isRepeated?: boolean;
  /** Words that make a password easier to guess, such as the email address. */
  personal?: readonly string[];
};

/** The fields for a new password and their state; without `isRepeated` it is typed only once. */
export function useNewPassword(label: string, { isRepeated = true, personal = [] }: Options = {}): NewPassword {
  const { t, translate } = useTexts();
  const min = useProject().value?.config.minPasswordLength ?? passwordLength.min;
  const [password, setPassword] = useState('');
  const [repeated, setRepeated] = useState('');
  const [fault, setFault] = useState<string | null>(null);
  const [repeatedFault, setRepeatedFault] = useState<string | null>(null);
  const input = useRef<HTMLInputElement>(null);
  const repeatedInput = useRef<HTMLInputElement>(null);
  return {
    password,
    validate: () => {
      const found = newPasswordFault(password, min, translate);
      const isDifferent = isRepeated && repeated !== password;
      setFault(found);
      setRepeatedFault(isDifferent ? t("Passwords don't match") : null);
      if (found !== null) return input;
      return isDifferent ? repeatedInput : null;
    },
    showRejection: (error) => {
      const found = rejectedPasswordFault(error);
      if (found === null) throw error;
      setFault(translate(found));
      input.current?.focus();
      input.current?.select();
    },
    fields: (
      <>
        <PasswordField
          label={label}
          name="new-password"
          autoComplete="new-password"
          hint={
            <>
              <span>{t('{min} to {max} characters', { min, max: passwordLength.max })}</span>
              <StrengthMeter password={password} personal={personal} />
            </>
          }
          value={password}
          onChange={setPassword}
          fault={fault}
          inputRef={input}
        />
        {isRepeated && (
          <PasswordField
            label={t('Repeat password')}
            name="repeated-password"
            autoComplete="new-password"
            value={repeated}
            onChange={setRepeated}
            fault={repeatedFault}
            inputRef={repeatedInput}
          />
        )}
      </>
    ),
  };
}
