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
    "ja": {
        "words": "市内 新しい 公園 完成 お知らせ 開催 について 募集 講座 参加者 学校 児童 作品 展示 地域 防災 訓練 実施 結果 発表 研究 技術 導入 事例 紹介 使い方 解説 はじめての "
        "旅行 日記 春の 祭り 図書館 休館日 変更 サービス 開始 新商品 発売 受賞 インタビュー 前編 調査 報告 会議 職員 採用 試験 日程 交通 規制",
        "latin": "kouen kansei oshirase kaisai boshu koza gakko sakuhin tenji bosai kunren kekka happyo gijutsu tabi nikki matsuri tosho henkou shinsho",
        "sections": "お知らせ=oshirase|ニュース=news|新着情報=whatsnew|イベント=event|行事=gyoji|募集=boshu|報道発表=press|ブログ=blog|活動報告=report|特集=tokushu|スポーツ=sports|"
        "経済=keizai|社会=shakai|文化=bunka|国際=kokusai|教育=kyoiku|暮らし=kurashi|コラム=column|研究成果=research|技術情報=tech|日記=diary|旅=tabi|広報=koho|議会=gikai",
        "indexes": "アーカイブ=archives|タグ=tags|カテゴリー=categories|ブログ=blog|記事一覧=list|特集一覧=features",
        "fixed": "会社概要=company|お問い合わせ=contact|アクセス=access|プライバシーポリシー=privacy|サイトマップ=sitemap|沿革=history|組織図=organization|採用情報=recruit|"
        "料金=price|製品情報=products|よくある質問=faq|ごあいさつ=greeting|役員紹介=officers|施設案内=facility|利用規約=terms|申請書=forms|会員登録=regist|リンク集=links|事業案内=business|サポート=support",
        "more": "もっと見る|一覧へ|一覧|すべて見る|MORE|過去の記事",
        "read": "続きを読む|詳しくはこちら|詳細|もっと読む|続き",
        "pages": "次へ|前へ|最初|最後|もっと見る|>|<",
        "home": "ホーム|トップページ",
        "hot": "人気記事|最近の投稿|おすすめ|アクセスランキング|関連記事",
        "boxes": "タグ|アーカイブ|カテゴリー|リンク|クイックリンク|サービス|スタッフ|ダウンロード|最近のコメント|特集",
        "comments": "コメント({n})|コメントする|{n}件のコメント|{n}",
        "people": "山本 花|田村 健|編集部|管理人|小川 進|森 明子",
        "tags": "予算 環境 音楽 写真 料理 歴史 健康 防災 野球 読書",
        "months": "{y}年{m}月|{y}年{m}月 ({n})|{y}-{m:02d}",
        "dates": "{y}年{m}月{d}日|{y}.{m:02d}.{d:02d}|{y}/{m:02d}/{d:02d}|{m}月{d}日|3時間前",
        "here": "現在位置：|",
        "actions": "印刷|English|文字サイズ|RSS|ログイン|シェア",
    },
    "ko": {
        "words": "시청 새로운 공원 개장 안내 모집 공고 학생 대회 수상 지역 주민 설명회 개최 결과 발표 연구 기술 도입 사례 소개 사용법 정리 여행 후기 봄 축제 도서관 휴관 변경 서비스 시작 "
        "신제품 출시 인터뷰 조사 보고서 회의 직원 채용 일정 교통 통제 왜 우리는 바꾸었나",
        "latin": "sicheong gongwon annae mojip gonggo haksaeng daehoe suseang jiyeok gisul sogae yeohaeng hugi chukje bogoseo chaeyong iljeong",
        "sections": "공지사항=notice|뉴스=news|보도자료=press|행사=event|정치=politics|경제=economy|사회=society|문화=culture|스포츠=sports|국제=world|오피니언=opinion|교육=edu|건강=health|"
        "채용공고=recruit|활동소식=activity|갤러리=gallery|자유게시판=free|질문답변=qna|블로그=blog|연재=series|기술=tech|여행=travel",
        "indexes": "보관함=archive|태그=tags|분류=categories|블로그=blog|전체글=all|특집=topics",
        "fixed": "인사말=greeting|회사소개=company|연혁=history|조직도=organization|오시는 길=location|개인정보처리방침=privacy|이용약관=terms|사이트맵=sitemap|문의=contact|제품=products|"
        "요금=price|자주 묻는 질문=faq|회원가입=join|로그인=login|시설안내=facility|후원=support|광고안내=ad|비전=vision|사업소개=business|민원=minwon",
        "more": "더보기|전체보기|+ 더보기|more|목록",
        "read": "더 읽기|자세히 보기|계속 읽기|본문 보기",
        "pages": "다음|이전|처음|마지막|더보기|>|<",
        "home": "홈|처음으로",
        "hot": "많이 본 기사|최근 글|인기글|추천|관련 기사",
        "boxes": "태그|보관함|분류|링크|바로가기|서비스|구성원|자료실|최근 댓글|특집",
        "comments": "댓글 {n}개|댓글 쓰기|댓글({n})|{n}",
        "people": "김하늘|이준호|편집부|관리자|박서연|최민수",
        "tags": "예산 환경 음악 사진 요리 역사 건강 선거 야구 독서",
        "months": "{y}년 {m}월|{y}/{m:02d} ({n})|{y}-{m:02d}",
        "dates": "{y}.{m:02d}.{d:02d}|{y}-{m:02d}-{d:02d}|{y}년 {m}월 {d}일|3시간 전",
        "here": "현재 위치:|",
        "actions": "인쇄|English|공유|RSS|로그인",
    },
    "ar": {
        "words": "المدينة تعلن افتتاح جسر جديد بعد العاصفة طلاب يفوزون بجائزة في مسابقة لماذا انتقلنا تقرير يظهر نموا بطيئا الشرطة تبحث عن شهود المجلس يقر الميزانية مكتبة "
        "توسع ساعات العمل حوار مع مدير دليل عملي نتائج الدراسة الأولى",
        "latin": "madina iftitah jisr jadid tullab jaiza taqrir numu shurta majlis maktaba hiwar dalil nataij",
        "sections": "الأخبار=news|سياسة=politics|اقتصاد=economy|رياضة=sport|ثقافة=culture|مقالات=articles|محليات=local|العالم=world|صحة=health|تعليم=education|فعاليات=events|"
        "بيانات صحفية=press|إعلانات=ads-list|آراء=opinion|تقارير=reports|منوعات=misc|علوم=science|مدونة=blog",
        "indexes": "الأرشيف=archive|الوسوم=tags|التصنيفات=categories|المدونة=blog|كل المقالات=all|مواضيع=topics",
        "fixed": "من نحن=about|اتصل بنا=contact|سياسة الخصوصية=privacy|خريطة الموقع=sitemap|الرؤية والرسالة=vision|الهيكل التنظيمي=structure|الخدمات=services|الوظائف=jobs|المنتجات=products|"
        "الأسئلة الشائعة=faq|تسجيل الدخول=login|الشروط=terms|كلمة المدير=message|التاريخ=history|الشركاء=partners|التبرع=donate",
        "more": "المزيد|عرض الكل|كل الأخبار|المزيد »",
        "read": "اقرأ المزيد|التفاصيل|أكمل القراءة|قراءة المزيد",
        "pages": "التالي|السابق|الأولى|الأخيرة|تحميل المزيد|«|»",
        "home": "الرئيسية|الصفحة الرئيسية",
        "hot": "الأكثر قراءة|أحدث المقالات|مواضيع ذات صلة|الأكثر شعبية",
        "boxes": "الوسوم|الأرشيف|التصنيفات|روابط|وصول سريع|الخدمات|فريق العمل|تحميلات|أحدث التعليقات|ملفات",
        "comments": "{n} تعليقات|أضف تعليقا|لا تعليقات|{n}",
        "people": "ليلى حداد|سامر نجار|التحرير|كريم فارس|المشرف",
        "tags": "ميزانية مناخ تعليم موسيقى انتخابات كرة سفر تاريخ",
        "months": "{M} {y}|{M} {y} ({n})|{y}",
        "dates": "{d} {M} {y}|{y}/{m:02d}/{d:02d}|{d:02d}-{m:02d}-{y}|منذ 3 ساعات",
        "here": "أنت هنا:|",
        "actions": "طباعة|مشاركة|English|RSS",
    },
    "fa": {
        "words": "شهرداری پل جدید را افتتاح کرد پس از طوفان دانش‌آموزان برنده جایزه مسابقه شدند چرا ما تغییر کردیم گزارش رشد کند اقتصاد پلیس به دنبال شاهدان شورا بودجه سال آینده کتابخانه ساعت کار "
        "گفتگو با مدیر راهنمای عملی نخستین نتایج پژوهش",
        "latin": "shahr pol jadid toofan jayeze mosabeghe gozaresh roshd shora boodje ketabkhane goftogoo rahnama natayej",
        "sections": "اخبار=news|سیاسی=politics|اقتصادی=economic|ورزشی=sport|فرهنگی=culture|مقالات=articles|اجتماعی=social|بین‌الملل=world|سلامت=health|آموزش=education|رویدادها=events|"
        "اطلاعیه‌ها=notices|یادداشت=notes|گزارش=reports|گفتگو=interview|وبلاگ=blog|فناوری=tech|مناقصات=tenders",
        "indexes": "بایگانی=archive|برچسب‌ها=tags|دسته‌ها=categories|وبلاگ=blog|همه مطالب=all|موضوعات=topics",
        "fixed": "درباره ما=about|تماس با ما=contact|نقشه سایت=sitemap|تاریخچه=history|ساختار سازمانی=chart|خدمات=services|قوانین=rules|حریم خصوصی=privacy|محصولات=products|ورود=login|"
        "پرسش‌های متداول=faq|همکاری با ما=jobs|پیوندها=links|معرفی مدیر=manager|اهداف=goals|تعرفه=price",
        "more": "بیشتر|همه اخبار|آرشیو|مشاهده همه",
        "read": "ادامه مطلب|ادامه|بیشتر بخوانید|مشاهده",
        "pages": "بعدی|قبلی|ابتدا|انتها|نمایش بیشتر|«|»",
        "home": "صفحه اصلی|خانه",
        "hot": "پربازدیدترین|آخرین مطالب|مطالب مرتبط|محبوب‌ترین",
        "boxes": "برچسب‌ها|بایگانی|دسته‌ها|پیوندها|دسترسی سریع|خدمات|همکاران|دریافت فایل|آخرین دیدگاه‌ها|ویژه‌نامه",
        "comments": "{n} دیدگاه|دیدگاه خود را بنویسید|بدون دیدگاه|{n}",
        "people": "نیما رستگار|سارا بهار|مدیر سایت|روابط عمومی|آرش پارسا",
        "tags": "بودجه آموزش موسیقی انتخابات فوتبال سفر تاریخ کتاب",
        "months": "{M} {y}|{M} {y} ({n})|{y}/{m:02d}",
        "dates": "{d} {M} {y}|{y}/{m:02d}/{d:02d}|۳ ساعت پیش|{d} {M}",
        "here": "شما اینجا هستید:|",
        "actions": "چاپ|English|RSS|اشتراک",
    },
    "th": {
        "words": "เทศบาล เปิด สะพานใหม่ หลังพายุ นักเรียน ได้รับ รางวัล การแข่งขัน ทำไม เราจึง เปลี่ยน รายงาน การเติบโต ตำรวจ ตามหา พยาน สภา อนุมัติ งบประมาณ ปีหน้า ห้องสมุด ขยายเวลา "
        "สัมภาษณ์ ผู้ก่อตั้ง วิธีทำ ผลการศึกษา โครงการ อบรม ประชุม กิจกรรม ประจำปี",
        "latin": "satban sapan nakrian rangwan raingan tamruat ngop hongsamut samphat khrongkan oprom prachum kitchakam",
        "sections": "ข่าวสาร=news|ข่าวประชาสัมพันธ์=pr|ประกาศ=announce|กิจกรรม=activity|จัดซื้อจัดจ้าง=procure|การเมือง=politics|เศรษฐกิจ=economy|กีฬา=sport|วัฒนธรรม=culture|บทความ=articles|"
        "การศึกษา=education|สุขภาพ=health|ท่องเที่ยว=travel|เทคโนโลยี=tech|บล็อก=blog|รับสมัครงาน=jobs|ภาพกิจกรรม=gallery",
        "indexes": "คลังเก็บ=archive|ป้ายกำกับ=tags|หมวดหมู่=categories|บล็อก=blog|บทความทั้งหมด=all|หัวข้อ=topics",
        "fixed": "เกี่ยวกับเรา=about|ติดต่อเรา=contact|แผนผังเว็บไซต์=sitemap|ประวัติ=history|โครงสร้าง=structure|บุคลากร=staff|วิสัยทัศน์=vision|บริการ=service|นโยบาย=policy|สินค้า=products|"
        "เข้าสู่ระบบ=login|คำถามที่พบบ่อย=faq|แผนที่=map|ดาวน์โหลด=download|ผู้บริหาร=board|ราคา=price",
        "more": "ดูทั้งหมด|เพิ่มเติม|อ่านทั้งหมด|ดูเพิ่มเติม",
        "read": "อ่านต่อ|รายละเอียด|อ่านเพิ่มเติม",
        "pages": "ถัดไป|ก่อนหน้า|หน้าแรก|สุดท้าย|โหลดเพิ่ม|»|«",
        "home": "หน้าแรก|หน้าหลัก",
        "hot": "ยอดนิยม|เรื่องล่าสุด|เรื่องที่เกี่ยวข้อง|ข่าวเด่น",
        "boxes": "ป้ายกำกับ|คลังเก็บ|หมวดหมู่|ลิงก์|ทางลัด|บริการ|บุคลากร|ดาวน์โหลด|ความเห็นล่าสุด|พิเศษ",
        "comments": "{n} ความเห็น|แสดงความเห็น|ไม่มีความเห็น|{n}",
        "people": "สมชาย ใจดี|มาลี สุขใจ|ผู้ดูแล|กองบรรณาธิการ|วิชัย ทองดี",
        "tags": "งบประมาณ อากาศ โรงเรียน ดนตรี เลือกตั้ง ฟุตบอล เที่ยว อาหาร",
        "months": "{M} {y}|{M} {y} ({n})|{y}",
        "dates": "{d} {M} {y}|{d:02d}/{m:02d}/{y}|3 ชั่วโมงที่แล้ว|{y}-{m:02d}-{d:02d}",
        "here": "คุณอยู่ที่:|",
        "actions": "พิมพ์|English|RSS|แบ่งปัน",
    },
    "pt": {
        "words": "câmara aprova nova ponte sobre o rio depois da tempestade alunos ganham prêmio em concurso por que mudamos relatório mostra crescimento lento polícia procura testemunhas "
        "biblioteca amplia horário entrevista com guia para iniciantes como fazer uma primeiros resultados do estudo",
        "sections": "Notícias|Atualidades|Política|Economia|Esportes|Cultura|Ciência|Sociedade|Mundo|Cidade|Eventos|Comunicados|Opinião|Saúde|Educação|Viagens|Tecnologia|Editais|Agenda|Publicações|Avisos|Colunas",
        "indexes": "Arquivo|Etiquetas=tags|Categorias|Blog|Tudo=todos|Temas",
        "fixed": "Quem somos|Contato|Política de privacidade|Mapa do site|História|Equipe|Horário|Tarifas|Serviços|Assine|Entrar|Ajuda|Estatuto|Diretoria|Missão|Transparência|Produtos|Localização|Parceiros|Doe|"
        "Ouvidoria|Associe-se",
        "more": "Ver todas|Mais notícias|Ver mais|Todas|mais »|Arquivo",
        "read": "Leia mais|Continue lendo|Ler mais|Saiba mais|[...]",
        "pages": "Próxima|Anterior|Primeira|Última|Carregar mais|»|«",
        "home": "Início|Página inicial",
        "hot": "Mais lidas|Posts recentes|Veja também|Destaques|Últimas notícias",
        "boxes": "Etiquetas|Arquivos|Categorias|Links|Acesso rápido|Serviços|Nossa equipe|Downloads|Comentários recentes|Especiais",
        "comments": "{n} comentários|Deixe um comentário|Sem comentários|{n}",
        "people": "Ana Rocha|Luís Campos|Redação|M. Teles|Rita Prado",
        "tags": "orçamento clima escola música eleições futebol cinema moradia história turismo",
        "months": "{M} {y}|{M} de {y} ({n})|{y}",
        "dates": "{d} de {M} de {y}|{d:02d}/{m:02d}/{y}|há 3 horas|{d:02d}.{m:02d}.{y}",
        "here": "Você está aqui:|",
        "actions": "Imprimir|Compartilhar|English|RSS|Acessibilidade",
    },
    "pl": {
        "words": "miasto planuje nowy most po burzy uczniowie zdobyli nagrodę w konkursie dlaczego zmieniliśmy raport pokazuje wolny wzrost policja szuka świadków rada przyjęła budżet na przyszły rok "
        "biblioteka wydłuża godziny wywiad z założycielem jak zrobić pierwsze wyniki badań",
        "sections": "Aktualności|Wiadomości|Polityka|Gospodarka|Sport|Kultura|Nauka|Wydarzenia|Ogłoszenia|Komunikaty|Publicystyka|Zdrowie|Edukacja|Podróże|Technologia|Przetargi|Relacje|Świat|Region|Felietony",
        "indexes": "Archiwum|Tagi=tagi|Kategorie|Blog|Wszystkie=wszystkie|Tematy",
        "fixed": "O nas|Kontakt|Polityka prywatności|Mapa strony|Historia|Zespół|Godziny otwarcia|Cennik|Usługi|Zaloguj|Pomoc|Statut|Zarząd|Regulamin|Oferta|Praca|Dojazd|Wspieraj nas|Deklaracja dostępności|Galeria",
        "more": "Zobacz wszystkie|Więcej|Wszystkie|więcej »|Archiwum",
        "read": "Czytaj więcej|Czytaj dalej|Więcej|[...]",
        "pages": "Następna|Poprzednia|Pierwsza|Ostatnia|Załaduj więcej|»|«",
        "home": "Strona główna|Start",
        "hot": "Najczęściej czytane|Ostatnie wpisy|Polecane|Zobacz też",
        "boxes": "Tagi|Archiwum|Kategorie|Linki|Na skróty|Usługi|Zespół|Do pobrania|Najnowsze komentarze|Dodatki",
        "comments": "{n} komentarzy|Dodaj komentarz|Brak komentarzy|{n}",
        "people": "Anna Leśna|Jan Polny|Redakcja|K. Wilk|Maria Zdrój",
        "tags": "budżet klimat szkoła muzyka wybory mieszkania historia turystyka",
        "months": "{M} {y}|{M} {y} ({n})|{m:02d}/{y}",
        "dates": "{d} {M} {y}|{d:02d}.{m:02d}.{y}|3 godziny temu|{y}-{m:02d}-{d:02d}",
        "here": "Jesteś tutaj:|",
        "actions": "Drukuj|Udostępnij|English|RSS|Wersja kontrastowa",
    },
}
MONTHS = {
    "ja": "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
    "ko": "1월 2월 3월 4월 5월 6월 7월 8월 9월 10월 11월 12월",
    "ar": "يناير فبراير مارس أبريل مايو يونيو يوليو أغسطس سبتمبر أكتوبر نوفمبر ديسمبر",
    "fa": "دی بهمن اسفند فروردین اردیبهشت خرداد تیر مرداد شهریور مهر آبان آذر",
    "th": "มกราคม กุมภาพันธ์ มีนาคม เมษายน พฤษภาคม มิถุนายน กรกฎาคม สิงหาคม กันยายน ตุลาคม พฤศจิกายน ธันวาคม",
    "pt": "janeiro fevereiro março abril maio junho julho agosto setembro outubro novembro dezembro",
    "pl": "stycznia lutego marca kwietnia maja czerwca lipca sierpnia września października listopada grudnia",
    "en": "January February March April May June July August September October November December",
    "de": "Januar Februar März April Mai Juni Juli August September Oktober November Dezember",
    "fr": "janvier février mars avril mai juin juillet août septembre octobre novembre décembre",
    "es": "enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre",
    "it": "gennaio febbraio marzo aprile maggio giugno luglio agosto settembre ottobre novembre dicembre",
    "ru": "января февраля марта апреля мая июня июля августа сентября октября ноября декабря",
    "zh": "1月 2月 3月 4月 5月 6月 7月 8月 9月 10月 11月 12月",
}
WEIGHTS = {"zh": 7, "en": 6, "de": 2, "fr": 2, "es": 2, "it": 2, "ru": 1}
WEIGHTS |= {"ja": 1, "ko": 1, "ar": 1, "fa": 1, "th": 1, "pt": 1, "pl": 1}
"""How often a portal speaks a language."""
WIDE = frozenset(("zh", "ja", "th"))
"""Languages that put no space between words."""
