"""The hub's token in the system's keyring: nowhere else, and never where there is no keyring."""

from __future__ import annotations

from engine.domain.errors import KVDeckError

_SERVICE = "kvdeck"
_NAME = "hugging-face-hub"


class NoKeyring(KVDeckError):
    """This system offers no keyring that a secret could be kept in."""

    kind = "no_keyring"


def stored_token() -> str | None:
    """The token, or None where there is none or no keyring. Blocks: the keyring may ask the user to unlock it."""
    import keyring  # late: looking for the system's keyrings takes a tenth of a second
    from keyring.errors import KeyringError

    try:
        token: str | None = keyring.get_password(_SERVICE, _NAME)
    except KeyringError:
        return None
    return token


def store_token(token: str | None) -> None:
    """Keep the token, or with None forget it. Raises NoKeyring."""
    import keyring
    from keyring.errors import KeyringError, PasswordDeleteError

    try:
        if token:
            keyring.set_password(_SERVICE, _NAME, token)
        else:
            keyring.delete_password(_SERVICE, _NAME)
    except PasswordDeleteError:
        return
    except KeyringError as error:
        raise NoKeyring(
            "This system has no keyring that a token could be kept in.",
            remedy="The token is used until KVDeck ends. Install a keyring (GNOME Keyring, KWallet) to keep it.",
            details=str(error),
        ) from error
