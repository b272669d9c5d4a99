"""What failures are called in other languages than English: word stems, in lower case.

Each line is one language or family: German, French, Spanish, Portuguese, Italian, Dutch, Scandinavian, Polish, Russian,
Chinese, Japanese, Korean.
"""

from __future__ import annotations

import re
from functools import lru_cache

from mulligan.classify import meanings as m

_TABLE: tuple[tuple[m.Meaning, str], ...] = (
    (
        m.CANCELLED,
        """
        (vom|durch den) (benutzer|nutzer|bediener) (abgebrochen|abgelehnt)
        (annul|refus|interromp|interrompu)\\w* par l.(utilisateur|opérateur)
        (cancelad|rechazad|anulad|recusad)[oa]s? (por|pelo) (el |la |o )?(usuari[oa]|operador|utilizador)
        annullat[oa] dall.utente
        (geannuleerd|afgebroken) door de gebruiker
        avbr(öts|utt) av (användaren|brukeren)
        отменен\\w* пользователем
        用户(已)?取消|用户拒绝|キャンセルされ
        """,
    ),
    (
        m.RATE_LIMIT,
        """
        zu viele (anfragen|aufrufe|versuche)|anfragelimit
        trop de (requêtes|demandes|tentatives|appels)
        demasiad[oa]s (solicitudes|peticiones|intentos|llamadas)
        (muitas|demasiadas) (solicitações|requisições|tentativas)
        troppe (richieste|chiamate)|troppi tentativi
        te veel (verzoeken|aanvragen|pogingen)
        for mange (forespørsler|forsøk)|för många (förfrågningar|försök|anrop)
        zbyt wiele (żądań|zapytań|prób)
        слишком много (запросов|попыток)
        请求过于频繁|请求次数过多|操作频繁|リクエストが多すぎ|요청이 너무 많
        """,
    ),
    (
        m.QUOTA,
        """
        (guthaben|kontingent|speicherplatz|budget) (\\w+ )*(aufgebraucht|erschöpft|reicht nicht|voll|überschritten)
            |nicht genügend (guthaben|speicher\\w*|deckung)|kein(en)? speicherplatz
        (crédit|solde|quota|espace)\\w* (\\w+ )*(insuffisant|épuisé|dépassé)
        (saldo|créditos?|cuota|espacio|cota) (\\w+ )*(insuficiente|agotad[oa]s?|superad[oa]|excedid[oa]|esgotad[oa])
        (saldo|credito|spazio|quota) (\\w+ )*(insufficiente|esaurit[oa]|superat[oa])
        (saldo|tegoed|quotum|schijfruimte) (\\w+ )*(ontoereikend|op|onvoldoende|overschreden)|onvoldoende (saldo|tegoed
            |ruimte)
        (niewystarczając\\w+|brak) (środków|miejsca|pamięci)|limit (\\w+ )*wyczerpan\\w+
        недостаточно (средств|места|памяти)
        余额不足|配额|额度|残高不足|容量不足|잔액
        """,
    ),
    (
        m.TIMEOUT,
        """
        zeitüberschreitung|zeitlimit|nicht (rechtzeitig|innerhalb)
        délai (\\w+ )*dépassé|délai d.attente|temps d.attente
        tiempo (de espera )?(\\w+ )*(agotado|excedido|superado)|tempo (limite|esgotado|de espera)
        tempo scaduto|timeout scaduto
        (verlopen|time-out|tijdslimiet)
        (tidsavbrott|tidsavbrudd|tidsgräns)
        przekroczono (limit )?czasu?|upłynął (limit )?czasu?
        время ожидания|превышено время
        超时|逾時|タイムアウト|시간 초과
        """,
    ),
    (
        m.AUTHENTICATION,
        """
        (anmeldung|authentifizierung) (fehlgeschlagen|erforderlich)|(bitte|nicht) (\\w+ )*(anmelden|angemeldet|einloggen)
            |(passwort|sitzung|token|zugangsdaten|api-?key|api-?schlüssel|kennwort) (\\w+ )*(falsch|abgelaufen|ungültig)
        (mot de passe|identifiants?|jeton|session) (\\w+ )*(incorrects?|invalides?|expirée?s?)|veuillez vous (re)?connecter
            |authentification (requise|échouée)
        (contraseña|credenciales|sesión|token) (\\w+ )*(incorrect[oa]s?|inválid[oa]s?|caducad[oa]s?|expirad[oa]s?)|inici(e|ar
            |a) sesión
        (senha|credenciais|sessão|token) (\\w+ )*(incorret[oa]s?|inválid[oa]s?|expirad[oa]s?|expirou)|faça login
        (password|credenziali|sessione|token) (\\w+ )*(errat[oae]|non valid[oae]|scadut[oae])|effettuare (l.accesso|il login)
        (wachtwoord|sessie|token|inloggegevens|pincode|code) (\\w+ )*(onjuist|verlopen|ongeldig)|niet (ingelogd|aangemeld)
        (lösenord|passord|session|token|innlogging)\\w* (\\w+ )*(fel|feil|utgått|utløpt|ogiltig\\w*|ugyldig)|logga in|logg inn
        (hasło|token|sesja) (\\w+ )*(nieprawidłow\\w+|wygas\\w+)|nieprawidłow\\w+ (hasło|token)|zaloguj się
        неверный (пароль|токен|логин)|авторизуйтесь
        未登录|未授权|请先登录|密码错误|ログインして|認証に失敗|로그인
        """,
    ),
    (
        m.PERMISSION,
        """
        zugriff (\\w+ )*(verweigert|abgelehnt)|(keine|fehlende|nicht die nötigen) (berechtigung|rechte|zugriffsrechte)\\w*
            |nicht (berechtigt|erlaubt|gestattet|befugt)
        accès (refusé|interdit)|(pas|aucun) (\\w+ )*(droits?|autorisée?s?|permission|l.autorisation)|non autorisé
        acceso (denegado|prohibido)|permiso (denegado|insuficiente)|(no|sin) (\\w+ )*(permisos?|autorizad[oa]|autorización)
        acesso (negado|proibido)|(não|sem) (\\w+ )*(permissão|autorizad[oa]|autorização)
        accesso (negato|vietato)|permesso negato|non (\\w+ )*(autorizzat[oa]|i permessi|il permesso)
        toegang (geweigerd|ontzegd)|geen (toegang|rechten|toestemming)
        (åtkomst|tilgang) (nekad|nektet)|saknar behörighet|ikke (tilgang|tillatelse)|mangler (tilgang|rettighet\\w*)
        (odmowa|brak) (dostępu|uprawnień)
        (доступ (запрещ[её]н|закрыт)|отказано в доступе|нет прав)
        (权限不足|没有权限|无权|拒绝访问|権限がありません|アクセスが拒否|권한이 없)
        """,
    ),
    (
        m.CONNECTION,
        """
        (keine verbindung|verbindung (\\w+ )*(fehlgeschlagen|abgelehnt|unterbrochen|nicht hergestellt|abgebrochen)
            |nicht erreichbar)
        (connexion (\\w+ )*(impossible|refusée|perdue|échoué)|injoignable|impossible de (se connecter|joindre|contacter))
        (conexión (\\w+ )*(rechazada|perdida|fallida)|no se (pudo|puede) conectar)
        (conexão (\\w+ )*(recusada|perdida|falhou)|não foi possível conectar)
        (connessione (\\w+ )*(rifiutata|persa|fallita)|impossibile connettersi|non raggiungibile)
        (geen verbinding|verbinding (\\w+ )*(mislukt|geweigerd|verbroken)|niet bereikbaar)
        (ingen (förbindelse|forbindelse|anslutning)|kunne ikke koble til|kunde inte ansluta|kan ikke nå)
        (brak|nie można nawiązać) (połączenia|sieci)|połączenie (\\w+ )*(odrzucone|przerwane|utracone)
        (нет соединения|не удалось (подключиться|соединиться))
        (连接(失败|被拒绝|错误)|无法连接|网络(错误|异常)|接続できません|연결할 수 없)
        """,
    ),
    (
        m.UNAVAILABLE,
        """
        (vorübergehend|derzeit|zurzeit|momentan) (\\w+ )*(nicht (verfügbar|erreichbar|möglich)|gestört|überlastet
            |ausgefallen)|wartungsarbeiten|wird gewartet|später (noch ?(ein)?mal|erneut)
        (temporairement|actuellement|momentanément) (\\w+ )*(indisponible|inaccessible)|en maintenance|(réessayez
            |réessayer) (plus tard|dans)|service indisponible
        (temporalmente|actualmente) (\\w+ )*(no disponible|fuera de servicio)|en mantenimiento|inténtelo (\\w+ )*más tarde
            |no disponible temporalmente
        (temporariamente|atualmente) (\\w+ )*(indisponível|fora do ar)|em manutenção|tente novamente mais tarde
        (temporaneamente|attualmente) (\\w+ )*(non disponibile|irraggiungibile)|in manutenzione|riprova(re)? più tardi
        (tijdelijk|momenteel) (\\w+ )*(niet beschikbaar|onbereikbaar)|in onderhoud|probeer het later
        (tillfälligt|midlertidig|for øyeblikket) (\\w+ )*(otillgänglig|utilgjengelig|inte tillgänglig|ikke tilgjengelig|nede)
            |prøv igjen senere|försök igen senare
        (chwilowo|obecnie|tymczasowo) (\\w+ )*niedostępn\\w+|spróbuj (ponownie )?później|przerwa techniczna
        (временно недоступ|повторите (попытку )?позже)
        (服务(暂时)?不可用|系统(繁忙|维护)|稍后(再试|重试)|メンテナンス|しばらく(して|経)|점검 중)
        """,
    ),
    (
        m.NOT_FOUND,
        """
        (nicht (gefunden|vorhanden|bekannt)|existiert (\\w+ )*nicht|gibt es nicht|(gibt es|es gibt
            |existiert) kein\\w* \\w+ (mit|namens|unter)|kein\\w* \\w+ (mit (der|dem|dieser|diesem)|namens|unter (der
            |dem)) (\\w+ )*(gefunden|bekannt|vorhanden)?|unbekannt(e[rsn]?)?(?!\\w))
        (introuvable|n.existe pas|(pas|aucune?) (\\w+ )*(trouvée?|correspond)\\w*|(n.a|n.ont
            |n.avons) pas (été )?(pu )?trouv\\w+|inconnue?s?)
        (no se (ha |han )?(encontr|pudo encontrar|hall|localiz)\\w*|no (fue |fueron )?encontrad[oa]s?|no (existe
            |hay) ningún\\w*|no existen?|desconocid[oa])
        (não (foi |foram )?(encontrad[oa]s?|localizad[oa]s?|encontrei|existem?)|desconhecid[oa]|inexistente)
        (non (è stat[oa] |sono stat[ie] )?trovat[oaie]|non esiste|inesistente|sconosciut[oa])
        (niet gevonden|bestaat niet|geen \\w+ gevonden (met|voor)|onbekende?)
        ((finns|finnes|hittades|hittas|fant|fantes|funnet|findes|fundet|hittar) (inte|ikke)|(ikke|inte) (funnet|fundet
            |hitta\\w*|finne)|okän[dt]\\w*|ukjent)
        (nie (znaleziono|istnieje)|nie ma takie\\w+|nieznan\\w+)
        (не найден\\w*|не существует|неизвестн\\w+)
        (未找到|找不到|不存在|查无|見つかりません|存在しません|찾을 수 없|존재하지 않)
        """,
    ),
    (
        m.CONFLICT,
        """
        (bereits|schon) (vergeben|vorhanden|gebucht|belegt|reserviert|existiert|storniert|bezahlt|abgeschlossen|angemeldet)
            |existiert bereits|ausgebucht|nicht (auf lager|lieferbar)|(nicht mehr) (möglich|storniert|geändert|verfügbar)
        (existe déjà|déjà (pris|prise|réservé\\w*|utilisé\\w*|existant\\w*|occupé\\w*|payé\\w*|annulé\\w*)|complet(e|s)?\\b
            |ne peut plus)
        (ya (existe|está|fue|ha sido) ?\\w*|ya no (se puede|es posible)|agotad[oa])
        (já (existe|está|foi) ?\\w*|esgotad[oa])
        (esiste già|già (esistente|prenotat[oa]|occupat[oa]|utilizzat[oa])|non più possibile|esaurit[oa])
        (bestaat al|al (geboekt|bezet|gereserveerd|in gebruik)|volgeboekt|niet meer mogelijk)
        (redan (bok|uppt|reserv|anv|finns)\\w*|finns redan
            |allerede (opptatt|optaget|booket|reserver\\w+|finnes|i bruk)|finnes allerede
            |fullbokad|fullbooket)
        (już istnieje|już zajęt\\w+)
        (уже (существует|занят\\w*|забронирован\\w*))
        (已(存在|被占用|被预订|售罄)|既に|すでに(存在|使用|予約)|이미 (존재|사용|예약))
        """,
    ),
    (
        m.ARGUMENT,
        """
        (ungültige?[rsn]?|unzulässige?[rsn]?|fehlerhafte?[rsn]?|muss (\\w+ )*(sein|enthalten|liegen|haben)|(wird|werden
            |wurde) (\\w+ )*(erwartet|benötigt)|nicht unterstützt|pflichtfeld|darf (nicht|höchstens|maximal|nur)|fehlt\\b)
        ((invalide|incorrecte?|non valide|non pris en charge)s?|n.est pas valide|doit (être|contenir|avoir)|(est
            |sont) (obligatoires?|requise?s?)|ne peut pas être)
        (inválid[oa]s?|no (es|son) válid[oa]s?|no válid[oa]|debe (ser|tener|contener|estar)|obligatori[oa]s?|no puede (ser
            |estar)|formato incorrecto)
        (deve (ser|ter|conter|estar)|não pode ser|não (é|são) válid[oa]s?)
        (non valid[oaie]|deve (essere|contenere|avere)|non può essere|obbligatori[oa])
        (ongeldige?|moet (\\w+ )*(zijn|bevatten)|verplicht|niet ondersteund)
        (ogiltig\\w*|ugyldig\\w*|måste (vara|innehålla)|må (være|inneholde)|påkrevd|obligatorisk\\w*)
        (nieprawidłow\\w+|musi (być|zawierać)|wymagan\\w+)
        (неверн\\w+|недопустим\\w+|некорректн\\w+|должн[аоы]? быть)
        (无效|不合法|格式(错误|不正确)|参数错误|不能为空|必填|不支持|無効|不正|必須|正しくありません|(指定|入力)してください|유효하지|잘못된|올바르지)
        """,
    ),
    (
        m.FAILED,
        """
        (fehlgeschlagen|ist ein (\\w+ )?fehler aufgetreten|unerwarteter fehler|konnte[n]? (\\w+ )*nicht (\\w+ )*werden)
        (une erreur (\\w+ ){0,3}(est survenue|s.est produite)|a échoué|échec (de|du|d.)|impossible (de|d.))
        ((se ha producido|ocurrió) un error|no se (ha )?(pudo|podido|puede)|falló)
        (ocorreu um erro|não foi possível|falhou)
        (si è verificato un errore|impossibile|non è stato possibile)
        (er is een fout opgetreden|mislukt|kon niet)
        (ett fel (har )?(uppstod|inträffa\\w+)|en feil oppst(o|å)d|misslyckades|mislyktes|kunde inte|kunne ikke)
        (wystąpił błąd|nie udało się)
        (произошла ошибка|не удалось)
        (发生错误|操作失败|(系统|内部|服务器?|未知)(错误|异常)|エラーが発生|失敗しました|오류가 발생)
        """,
    ),
)  # fmt: skip


def joined_lines(text: str) -> list[str]:
    """The lines of a table; one that begins with `|` continues the line before it."""
    joined: list[str] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        if line[0] == "|" and joined:
            joined[-1] += line
        else:
            joined.append(line)
    return joined


def _pattern(lines: str) -> str:
    """The lines as one pattern. Languages without spaces have no word boundaries."""
    return "|".join(line if _UNSPACED.search(line) else rf"(?<!\w)(?:{line})" for line in joined_lines(lines))


_UNSPACED = re.compile("[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7a3]")
_MARKS = frozenset(  # words of which an ASCII text in another language has one
    [
        "nicht",
        "keine",
        "kein",
        "keinen",
        "ist",
        "sind",
        "bereits",
        "schon",
        "bitte",
        "wurde",
        "konnte",
        "zugriff",
        "fehlgeschlagen",
        "abgebrochen",
        "pas",
        "est",
        "une",
        "aucun",
        "aucune",
        "introuvable",
        "impossible",
        "inconnu",
        "inconnue",
        "existe",
        "existen",
        "encontrado",
        "encontrada",
        "hay",
        "puede",
        "pudo",
        "ya",
        "debe",
        "acceso",
        "saldo",
        "permiso",
        "esiste",
        "trovato",
        "trovata",
        "errore",
        "impossibile",
        "non",
        "foi",
        "acesso",
        "deve",
        "niet",
        "geen",
        "bestaat",
        "toegang",
        "ikke",
        "inte",
        "finns",
        "finnes",
        "allerede",
        "redan",
        "tilgang",
        "ugyldig",
        "ogiltig",
        "nie",
        "brak",
        "trop",
        "demasiadas",
        "troppe",
        "ongeldig",
        "mislukt",
        "desconocido",
        "agotado",
        "deja",
        "insuficiente",
        "insufficiente",
        "obligatoire",
        "invalido",
        "invalide",
        "falsch",
        "unbekannt",
        "unbekannte",
        "onbekend",
        "pincode",
    ]
)
_FOREIGN_LETTER = re.compile(r"[^\W\d_a-z]")
_WORD = re.compile(r"[^\W_]+")


@lru_cache(maxsize=1)
def _patterns() -> tuple[tuple[m.Meaning, re.Pattern[str]], ...]:
    return tuple((meaning, re.compile(_pattern(lines))) for meaning, lines in _TABLE)


def foreign_sense(sentence: str) -> m.Meaning | None:
    """What a sentence in another language than English reports, or None.

    Args:
        sentence: words in lower case.
    """
    if _FOREIGN_LETTER.search(sentence) is None and _MARKS.isdisjoint(_WORD.findall(sentence)):
        return None
    return next((meaning for meaning, pattern in _patterns() if pattern.search(sentence)), None)
