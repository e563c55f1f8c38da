import { useId, useRef, useState } from 'react';
import { useTexts } from '../../texts/use-texts.ts';
import { useAction } from '../../use-action.ts';
import { Avatar } from '../avatar.tsx';
import { useHandler } from '../context.ts';
import { Button } from '../controls.tsx';
import { useAccount, useRefreshAccount } from './account.ts';
import { ActionError } from './action-error.tsx';
import { type LoadedImage, loadImage, toJpeg } from './image.ts';
import { Section } from './section.tsx';

export function ProfileImage() {
  const { t } = useTexts();
  const { app } = useHandler();
  const { user } = useAccount();
  const refresh = useRefreshAccount();
  const [chosen, setChosen] = useState<LoadedImage | null>(null);
  const file = useRef<HTMLInputElement>(null);
  const choose = useAction(async (given: File) => setChosen(await loadImage(given)));
  const save = useAction(async (profileImageUrl: string | null) => {
    await app.me.update({ profileImageUrl });
    await refresh();
    setChosen(null);
  });
  const error = choose.error ?? save.error;
  return (
    <Section title={t('Profile picture')}>
      <ActionError error={error} />
      {chosen ? (
        <Crop
          image={chosen}
          isBusy={save.isRunning}
          onSave={(url) => void save.run(url)}
          onCancel={() => setChosen(null)}
        />
      ) : (
        <div className="gbh-row-actions">
          <Avatar user={user} />
          <Button tone="plain" onClick={() => file.current?.click()} isBusy={choose.isRunning}>
            {t('Choose picture')}
          </Button>
          {user.profileImageUrl && (
            <Button tone="quiet" onClick={() => void save.run(null)} isBusy={save.isRunning}>
              {t('Remove picture')}
            </Button>
          )}
        </div>
      )}
      <input
        ref={file}
        type="file"
        accept="image/*"
        hidden
        aria-label={t('Profile picture')}
        onChange={({ currentTarget }) => {
          const [given] = currentTarget.files ?? [];
          if (given) void choose.run(given);
          currentTarget.value = '';
        }}
      />
    </Section>
  );
}

type CropProps = { image: LoadedImage; isBusy: boolean; onSave: (url: string) => void; onCancel: () => void };

/** Shows the center of the image in a circle, with up to threefold zoom. */
function Crop({ image, isBusy, onSave, onCancel }: CropProps) {
  const { t } = useTexts();
  const [zoom, setZoom] = useState(1);
  const id = useId();
  return (
    <div className="gbh-form">
      <span className="gbh-avatar gbh-crop" aria-hidden="true">
        <img src={image.url} alt="" style={{ scale: zoom }} />
      </span>
      <div className="gbh-field">
        <label htmlFor={id}>{t('Zoom')}</label>
        <input
          id={id}
          type="range"
          min={1}
          max={3}
          step={0.1}
          value={zoom}
          onChange={({ currentTarget }) => setZoom(Number(currentTarget.value))}
        />
      </div>
      <div className="gbh-row-actions">
        <Button onClick={() => onSave(toJpeg(image, zoom))} isBusy={isBusy}>
          {t('Save picture')}
        </Button>
        <Button tone="quiet" onClick={onCancel}>
          {t('Cancel')}
        </Button>
      </div>
    </div>
  );
}
