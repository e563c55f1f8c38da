import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { ActionIcon, Menu } from '@mantine/core';
import { IconLanguage } from '@tabler/icons-react';
import { changeLanguage, type Language, languages } from '../lib/language.ts';

export function LanguageMenu() {
  return (
    <Menu position="top-start">
      <Menu.Target>
        <ActionIcon variant="subtle" color="gray" aria-label={t`Language`} title={t`Language`}>
          <IconLanguage size={17} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {(Object.keys(languages) as Language[]).map((language) => (
          <Menu.Item
            key={language}
            lang={language}
            {...(language === i18n.locale && { 'aria-current': true })}
            onClick={() => changeLanguage(language)}
          >
            {languages[language]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
