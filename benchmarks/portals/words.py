"""What the synthetic portals say, by language. Data only: words of headlines, names of sections and fixed pages, labels.

Pairs are ``text=slug``; a text without a slug is folded to ASCII. Where the script is not Latin, ``latin`` makes the slugs.
"""

from __future__ import annotations

LANGUAGES: dict[str, dict[str, str]] = {
    "zh": {
        "words": "关于 推进 城市 建设 工作 会议 召开 我市 学生 活动 举行 全面 加强 管理 通知 开展 春季 培训 项目 名单 公示 安全 生产 专项 检查 "
        "农村 发展 服务 群众 首届 比赛 落幕 专家 研讨 产业 园区 签约 交通 道路 改造 完成 医院 免费 体检 暑期 招生 计划 公布 天气 降温 市民 注意 "
        "图书馆 开放 时间 调整 技术 创新 企业 获奖 如何 选择 教程 详解 实现 原理 一次 旅行 记录 为什么 我们 需要 新版 发布",
        "latin": "guan cheng shi jian she hui yi xue sheng huo dong jia qiang tong zhi pei xun xiang mu an quan nong fa zhan fu wu bi sai chan ye "
        "lu gai zao zhao sheng ji hua tian qi shu ji shu chuang xin",
        "sections": "要闻=yw|工作动态=gzdt|通知公告=tzgg|政策法规=zcfg|政务公开=zwgk|部门动态=bmdt|图片新闻=tpxw|视频=sp|专题专栏=ztzl|媒体关注=mtgz|"
        "校园新闻=xyxw|教学科研=jxky|学生园地=xsyd|党建工作=djgz|德育之窗=dyzc|招生就业=zsjy|国内=gn|国际=gj|财经=cj|体育=ty|娱乐=yl|科技=kj|健康=jk|"
        "汽车=qc|房产=fc|教育=jy|旅游=ly|文化=wh|社会=sh|评论=pl|行业资讯=hyzx|公司动态=gsdt|技术文章=jswz|随笔=sb|读书笔记=dsbj|前端=qd|数据库=sjk|"
        "综合讨论=zhtl|灌水区=gsq|求助=qz|办事指南=bszn|信息公开=xxgk|人事信息=rsxx|招标采购=zbcg|最新=zx|全部文章=qbwz|资源共享=zygx",
        "indexes": "归档=archives|标签=tags|分类=categories|博客=blog|全部文章=all|所有专题=topics",
        "fixed": "学校简介=xxjj|领导班子=ldbz|机构设置=jgsz|联系我们=lxwm|关于我们=gywm|网站地图=wzdt|师资队伍=szdw|历史沿革=lsyg|校长寄语=xzjy|企业文化=qywh|"
        "资质荣誉=zzry|在线咨询=zxzx|网上申报=wssb|局长信箱=jzxx|办公电话=bgdh|版权声明=bqsm|隐私政策=yszc|招聘英才=zpyc|广告服务=ggfw|投稿须知=tgxz|帮助中心=bzzx|"
        "意见反馈=yjfk|留言板=lyb|友情链接=yqlj|交通指南=jtzn|成绩查询=cjcx|下载中心=xzzx|会员中心=hyzx|登录=login|注册=reg|搜索=ss|产品中心=cpzx|解决方案=jjfa|"
        "主要职责=zyzz|投资者关系=tzzgx|关于=about|校园风光=xyfg|组织架构=zzjg|收费标准=sfbz",
        "more": "更多|更多>>|More|MORE+|查看更多|more...|>>|+",
        "read": "阅读全文|详细|[详情]|查看详情|继续阅读|阅读全文 »|全文",
        "pages": "下一页|上一页|首页|尾页|加载更多|>|<",
        "home": "首页|网站首页|主页|返回首页",
        "hot": "热点排行|点击排行|推荐阅读|最新文章|热门文章|本周热门|相关新闻|精彩推荐|猜你喜欢",
        "boxes": "标签|文章归档|分类|友情链接|快速通道|便民服务|名师风采|资料下载|最新评论|专题",
        "comments": "评论({n})|{n}条评论|暂无评论|发表评论|{n}",
        "people": "张明 王芳 李强 陈静 赵磊 周敏 吴迪 孙洁 admin 编辑部 小编 管理员",
        "tags": "摄影 算法 高考 创新 环保 音乐 疫情 人工智能 读书 就业 乡村振兴 足球 旅行 理财 美食",
        "months": "{y}年{m}月|{y}-{m:02d}|{m}月 {y}|{y}年{m:02d}月({n})",
        "dates": "{y}-{m:02d}-{d:02d}|[{m:02d}-{d:02d}]|{y}年{m}月{d}日|{m:02d}-{d:02d}|{y}/{m}/{d}|({m:02d}/{d:02d})|{y}.{m:02d}.{d:02d}|3小时前|{y}-{m:02d}-{d:02d} 09:26",
        "here": "当前位置：|您的位置:|首页 >",
        "actions": "设为首页|加入收藏|繁體|English|无障碍|手机版|RSS|退出|分享|打印",
    },
    "en": {
        "words": "council plans new bridge over the river after storm damage how to build better tools for small teams students win regional prize "
        "in science fair why we moved from one system another local library extends opening hours minister says budget will rise next year "
        "report finds growth slow guide review interview with founder city market reopens police seek witnesses first results study shows release notes",
        "sections": "News|Local|World|Politics|Business|Sport|Culture|Opinion|Science|Technology|Health|Education|Travel|Lifestyle|Events|Press releases|"
        "Announcements|Notices|Publications|Blog|Engineering|Community|Features|Reviews|Tutorials|Photos|Videos|Podcast|Columns|Research|Environment|"
        "Student life|Newsletter archive|General discussion|Support questions|Show and tell|Off topic|Updates|Stories|Case studies|Latest|Projects|Insights",
        "indexes": "Archives|Tags|Categories|Blog|All posts|Topics|News|Writing",
        "fixed": "About|About us|Contact|Our history|Leadership|Staff directory|Admissions|Opening hours|Careers|Privacy policy|Terms of use|Accessibility|"
        "Sitemap|Help|FAQ|Support us|Services|Pricing|Products|Solutions|Mission statement|How to find us|Governance|Subscribe|Login|Register|Advertise with us|"
        "Cookie settings|Legal notice|Getting started|Installation|API reference|Download|Partners|Board of directors|Apply online|Fees|Members|Search|Resume|Uses",
        "more": "More|More news|See all|View all|All stories|more »|All|Archive",
        "read": "Read more|Continue reading|Full story|Read more »|[...]|Details|Keep reading →|Read",
        "pages": "Next|Previous|First|Last|Load more|»|«",
        "home": "Home|Front page|Homepage|Start",
        "hot": "Most read|Trending|Recent posts|Popular|Latest news|Editor's picks|You may also like|Related|Top stories",
        "boxes": "Tags|Archives|Categories|Links|Quick links|Services|Our team|Downloads|Recent comments|Special reports",
        "comments": "{n} comments|Leave a comment|No comments|{n}|Comments ({n})",
        "people": "Ann Brook|Tom Field|J. Marsh|Lucy Hale|admin|Staff writer|Peter Quill|Mary Stone|editor",
        "tags": "budget design climate music open-source schools python roads housing football elections recipes travel history",
        "months": "{M} {y}|{M} {y} ({n})|{y}-{m:02d}|{y}",
        "dates": "{M} {d}, {y}|{d} {M} {y}|{y}-{m:02d}-{d:02d}|{m:02d}/{d:02d}/{y}|3 hours ago|{d} {M}|{y}/{m:02d}/{d:02d}|yesterday",
        "here": "You are here:|Home /|",
        "actions": "Sign in|Print|Share|RSS|Deutsch|Français|中文|Mobile site|Follow us|Newsletter",
    },
    "de": {
        "words": "Stadt plant neue Brücke nach dem Sturm über Fluss Schüler gewinnen Preis beim Wettbewerb warum wir umgezogen sind Bericht zeigt langsames "
        "Wachstum Polizei sucht Zeugen Gemeinderat beschließt Haushalt für das kommende Jahr Bibliothek erweitert Öffnungszeiten Interview mit",
        "sections": "Aktuelles|Nachrichten|Politik|Wirtschaft|Sport|Kultur|Wissen|Lokales|Meinung|Veranstaltungen|Pressemitteilungen|Bekanntmachungen|Reise|"
        "Gesundheit|Bildung|Technik|Blog|Berichte|Termine|Rathaus|Projekte|Schulleben|Vermischtes|Panorama|Leserbriefe",
        "indexes": "Archiv|Schlagwörter=tags|Kategorien|Blog|Alle Beiträge=alle|Themen",
        "fixed": "Über uns|Kontakt|Impressum|Datenschutz|Anfahrt|Geschichte|Ansprechpartner|Öffnungszeiten|Satzung|Mitglied werden|Vorstand|Leistungen|Preise|"
        "Mediadaten|Abo|Anmelden|Hilfe|AGB|Stellenangebote|Kollegium|Produkte|Spenden|Barrierefreiheit|Suche",
        "more": "mehr|Alle Beiträge|Alle anzeigen|weitere Meldungen|Archiv|mehr »",
        "read": "Weiterlesen|mehr lesen|weiter|Artikel lesen|Mehr erfahren|[mehr]",
        "pages": "Weiter|Zurück|Erste|Letzte|Mehr laden|»|«",
        "home": "Startseite|Start|Home",
        "hot": "Meistgelesen|Neueste Beiträge|Das könnte Sie auch interessieren|Top-Themen|Beliebt",
        "boxes": "Schlagwörter|Archiv|Kategorien|Links|Schnellzugriff|Service|Unser Team|Downloads|Neue Kommentare|Dossiers",
        "comments": "{n} Kommentare|Kommentar schreiben|Keine Kommentare|{n}",
        "people": "Anna Bach|Jens Feld|Redaktion|K. Weber|Lukas Stein|Maria Vogt|Webmaster",
        "tags": "Haushalt Verkehr Schule Klima Fußball Musik Wahl Umwelt Garten Reisen",
        "months": "{M} {y}|{M} {y} ({n})|{m:02d}/{y}",
        "dates": "{d:02d}.{m:02d}.{y}|{d}. {M} {y}|{d:02d}.{m:02d}.|vor 3 Stunden|{y}-{m:02d}-{d:02d}",
        "here": "Sie sind hier:|",
        "actions": "Drucken|Teilen|English|RSS|Leichte Sprache|Merken",
    },
    "fr": {
        "words": "la ville prévoit un nouveau pont après tempête les élèves remportent le prix du concours pourquoi nous avons changé rapport montre une "
        "croissance lente police recherche des témoins conseil adopte budget bibliothèque élargit ses horaires entretien avec guide pratique pour",
        "sections": "Actualités|À la une|Politique|Économie|Sports|Culture|Sciences|Société|Monde|Régions|Agenda|Communiqués|Vie scolaire|Santé|Éducation|Voyages|"
        "Opinions|Dossiers|Publications|Annonces|Cuisine|Portraits",
        "indexes": "Archives|Étiquettes=tags|Catégories|Blog|Tous les articles=tous|Thèmes",
        "fixed": "Qui sommes-nous|Contact|Mentions légales|Plan du site|Historique|Équipe|Horaires|Tarifs|Nos services|S'abonner|Se connecter|Aide|Adhésion|Statuts|"
        "Partenaires|Recrutement|Accessibilité|Plan d'accès|Règlement|Faire un don|Produits",
        "more": "Toutes les actualités|Voir tout|Plus|Tout voir|plus d'articles|+ d'infos",
        "read": "Lire la suite|Lire|En savoir plus|Lire l'article|[suite]",
        "pages": "Suivant|Précédent|Début|Fin|Charger plus|›|‹",
        "home": "Accueil|Retour à l'accueil",
        "hot": "Les plus lus|Articles récents|À lire aussi|Populaires|Derniers articles",
        "boxes": "Mots-clés|Archives|Catégories|Liens|Accès rapide|Services|L'équipe|Téléchargements|Commentaires récents|Dossiers",
        "comments": "{n} commentaires|Laisser un commentaire|Aucun commentaire|{n}",
        "people": "Anne Dupré|Luc Morel|La rédaction|C. Petit|Paul Roche|Julie Blanc",
        "tags": "budget climat école musique élections jardin cinéma vélo logement histoire",
        "months": "{M} {y}|{M} {y} ({n})|{y}",
        "dates": "{d} {M} {y}|{d:02d}/{m:02d}/{y}|le {d} {M} {y}|il y a 3 heures|{d:02d}.{m:02d}.{y}",
        "here": "Vous êtes ici :|",
        "actions": "Imprimer|Partager|English|RSS|Newsletter",
    },
    "es": {
        "words": "el ayuntamiento aprueba nuevo puente sobre río tras la tormenta alumnos ganan premio en concurso por qué cambiamos informe muestra crecimiento "
        "lento policía busca testigos biblioteca amplía horarios entrevista con guía para principiantes cómo hacer una primeros resultados del estudio",
        "sections": "Noticias|Actualidad|Política|Economía|Deportes|Cultura|Ciencia|Sociedad|Mundo|Local|Eventos|Comunicados|Opinión|Salud|Educación|Viajes|Tecnología|"
        "Convocatorias|Publicaciones|Reportajes|Avisos|Entrevistas",
        "indexes": "Archivo|Etiquetas=tags|Categorías|Blog|Todo=todo|Temas",
        "fixed": "Quiénes somos|Contacto|Aviso legal|Mapa del sitio|Historia|Equipo|Horario|Tarifas|Servicios|Suscríbete|Acceder|Ayuda|Directorio|Organigrama|Misión|"
        "Transparencia|Trámites|Productos|Política de cookies|Cómo llegar|Profesorado|Publicidad",
        "more": "Ver todas|Más noticias|Ver más|Todo|más »|Archivo",
        "read": "Leer más|Seguir leyendo|Continúa|Ver noticia|[...]",
        "pages": "Siguiente|Anterior|Primera|Última|Cargar más|»|«",
        "home": "Inicio|Portada",
        "hot": "Lo más leído|Entradas recientes|Te puede interesar|Destacados|Últimas noticias",
        "boxes": "Etiquetas|Archivos|Categorías|Enlaces|Accesos directos|Servicios|Nuestro equipo|Descargas|Comentarios recientes|Especiales",
        "comments": "{n} comentarios|Deja un comentario|Sin comentarios|{n}",
        "people": "Ana Ríos|Luis Campo|Redacción|M. Torres|Eva Prado|Juan Sierra",
        "tags": "presupuesto clima escuela música elecciones fútbol cine vivienda historia turismo",
        "months": "{M} {y}|{M} {y} ({n})|{y}",
        "dates": "{d} de {M} de {y}|{d:02d}/{m:02d}/{y}|{d} {M}, {y}|hace 3 horas|{y}-{m:02d}-{d:02d}",
        "here": "Está aquí:|",
        "actions": "Imprimir|Compartir|English|RSS|Boletín",
    },
    "it": {
        "words": "il comune approva nuovo ponte sul fiume dopo la tempesta studenti vincono premio al concorso perché abbiamo cambiato rapporto mostra crescita lenta "
        "polizia cerca testimoni biblioteca amplia orari intervista con guida per principianti come fare una primi risultati dello studio",
        "sections": "Notizie|Primo piano|Politica|Economia|Sport|Cultura|Scienze|Società|Esteri|Cronaca|Eventi|Comunicati|Opinioni|Salute|Scuola|Viaggi|Tecnologia|Bandi|"
        "Avvisi|Circolari|Rassegna stampa|Rubriche",
        "indexes": "Archivio|Etichette=tag|Categorie|Blog|Tutti=tutti|Temi",
        "fixed": "Chi siamo|Contatti|Note legali|Mappa del sito|Storia|Lo staff|Orari|Tariffe|Servizi|Abbonati|Accedi|Aiuto|Organigramma|Statuto|Dove siamo|Lavora con noi|"
        "Amministrazione trasparente|Prodotti|Privacy|Modulistica|Docenti|Pubblicità",
        "more": "Tutte le notizie|Vedi tutti|Altro|Archivio|altre notizie|tutti »",
        "read": "Leggi tutto|Continua a leggere|Leggi|Approfondisci|[...]",
        "pages": "Successivo|Precedente|Prima|Ultima|Carica altri|»|«",
        "home": "Home|Pagina iniziale",
        "hot": "I più letti|Articoli recenti|Potrebbe interessarti|In evidenza|Ultime notizie",
        "boxes": "Etichette|Archivi|Categorie|Link|Accesso rapido|Servizi|Il team|Scaricare|Commenti recenti|Speciali",
        "comments": "{n} commenti|Lascia un commento|Nessun commento|{n}",
        "people": "Anna Riva|Luca Monti|Redazione|P. Conti|Sara Valle|Marco Costa",
        "tags": "bilancio clima scuola musica elezioni calcio cinema casa storia turismo",
        "months": "{M} {y}|{M} {y} ({n})|{y}",
        "dates": "{d} {M} {y}|{d:02d}/{m:02d}/{y}|{d:02d}-{m:02d}-{y}|3 ore fa",
        "here": "Sei qui:|",
        "actions": "Stampa|Condividi|English|RSS|Newsletter",
    },
    "ru": {
        "words": "город планирует новый мост через реку после бури школьники выиграли приз конкурса почему мы переехали отчёт показывает рост полиция ищет свидетелей "
        "совет принял бюджет на следующий год библиотека расширяет часы работы интервью с основателем как сделать первые результаты исследования",
        "latin": "gorod novyj most reka posle buri shkola konkurs pochemu otchet rost policija sovet bjudzhet god biblioteka chasy raboty intervju kak",
        "sections": "Новости=novosti|Главное=main|Политика=politika|Экономика=economics|Спорт=sport|Культура=kultura|Наука=science|Общество=society|В мире=world|"
        "События=events|Объявления=obyavleniya|Документы=docs|Мнения=opinion|Здоровье=zdorove|Образование=obrazovanie|Статьи=stati|Интервью=interview|Пресс-релизы=press|Блог=blog",
        "indexes": "Архив=archive|Метки=tags|Рубрики=categories|Блог=blog|Все записи=all|Темы=themes",
        "fixed": "О нас=about|О компании=company|Контакты=contacts|Карта сайта=map|История=history|Руководство=rukovodstvo|Услуги=uslugi|Цены=price|Реклама=adv|Вакансии=jobs|"
        "Войти=login|Регистрация=register|Помощь=help|Структура=struktura|Правила=rules|Приёмная=priem|Реквизиты=rekvizity|Сотрудники=staff|Поиск=search|Продукция=products",
        "more": "Все новости|Ещё|Больше|Все|далее|Архив",
        "read": "Читать далее|Подробнее|Читать|далее...|Читать полностью",
        "pages": "Следующая|Предыдущая|Первая|Последняя|Показать ещё|»|«",
        "home": "Главная|На главную",
        "hot": "Самое читаемое|Последние записи|Популярное|Читайте также|Лента",
        "boxes": "Метки|Архив|Рубрики|Ссылки|Быстрый доступ|Услуги|Наша команда|Файлы|Свежие комментарии|Спецпроекты",
        "comments": "{n} комментариев|Комментировать|Нет комментариев|{n}",
        "people": "Анна Лесова|Иван Полев|Редакция|П. Озеров|Мария Лугова|admin",
        "tags": "бюджет климат школа музыка выборы футбол кино жильё история туризм",
        "months": "{M} {y}|{M} {y} ({n})|{y}",
        "dates": "{d} {M} {y}|{d:02d}.{m:02d}.{y}|{d:02d}.{m:02d}|3 часа назад",
        "here": "Вы здесь:|",
        "actions": "Печать|Поделиться|English|RSS|Версия для слабовидящих",
    },
}
MONTHS = {
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "zh": "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
}
WEIGHTS = {"zh": 7, "en": 6, "de": 2, "fr": 2, "es": 2, "it": 2, "ru": 1}
"""How often a portal speaks a language."""
