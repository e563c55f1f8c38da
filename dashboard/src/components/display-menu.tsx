import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { ActionIcon } from '@mantine/core';
import { IconAdjustments, IconCheck } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { changeLanguage, i18n, type Language, languages } from '../lib/language.ts';
import { setTimeStyle, useTimeStyle } from '../lib/time-style.ts';
import { LateMenu, type LateMenuParts } from './late-menu.tsx';

/** How pages show what they show, in this browser: times and language. */
export function DisplayMenu() {
  const timeStyle = useTimeStyle();
  return (
    <LateMenu
      position="top-end"
      button={
        <ActionIcon variant="subtle" color="gray" aria-label={t`Display`} title={t`Display`}>
          <IconAdjustments size={17} aria-hidden />
        </ActionIcon>
      }
    >
      {(Menu) => (
        <>
          <Menu.Label>
            <Trans>Times</Trans>
          </Menu.Label>
          <Choice menu={Menu} isChosen={timeStyle === 'relative'} onChoose={() => setTimeStyle('relative')}>
            <Trans>Relative, such as “2 hours ago”</Trans>
          </Choice>
          <Choice menu={Menu} isChosen={timeStyle === 'exact'} onChoose={() => setTimeStyle('exact')}>
            <Trans>Exact</Trans>
          </Choice>
          <Menu.Label>
            <Trans>Language</Trans>
          </Menu.Label>
          {(Object.keys(languages) as Language[]).map((language) => (
            <Choice
              menu={Menu}
              key={language}
              isChosen={language === i18n.locale}
              onChoose={() => changeLanguage(language)}
            >
              <span lang={language}>{languages[language]}</span>
            </Choice>
          ))}
        </>
      )}
    </LateMenu>
  );
}

type ChoiceProps = { menu: LateMenuParts; isChosen: boolean; onChoose: () => void; children: ReactNode };

const Choice = ({ menu: Menu, isChosen, onChoose, children }: ChoiceProps) => (
  <Menu.Item
    {...(isChosen && { 'aria-current': true })}
    rightSection={isChosen && <IconCheck size={14} aria-hidden />}
    onClick={onChoose}
  >
    {children}
  </Menu.Item>
);
